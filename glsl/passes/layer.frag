// Lays a layer over the picture; premultiplied.
uniform sampler2D u_layer;
uniform vec4 u_layer_tint; // premultiplied factors

layout(location = 0) out vec4 o_color;

void main() {
    o_color = texelFetch(u_layer, ivec2(gl_FragCoord.xy), 0) * u_layer_tint;
    if (o_color == vec4(0.0)) {
        discard;
    }
}
