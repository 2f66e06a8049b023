// A smaller picture: the mean of each square, of which what lies outside has nothing.
uniform sampler2D u_layer;
uniform float u_scale; // pixels along a square

layout(location = 0) out vec4 o_color;

void main() {
    int side = int(u_scale);
    ivec2 first = side * ivec2(gl_FragCoord.xy), last = min(first + side, textureSize(u_layer, 0));
    vec4 sum = vec4(0.0);
    for (int y = first.y; y < last.y; ++y) {
        for (int x = first.x; x < last.x; ++x) {
            sum += texelFetch(u_layer, ivec2(x, y), 0);
        }
    }
    o_color = sum / float(side * side);
}
