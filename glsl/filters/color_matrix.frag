// Straight colours times a matrix, and a row to add.
uniform sampler2D u_layer;
uniform mat4 u_matrix; // columns: what each channel gives
uniform vec4 u_offset;

layout(location = 0) out vec4 o_color;

void main() {
    vec4 color = texelFetch(u_layer, ivec2(gl_FragCoord.xy), 0);
    // What only adds light has no alpha to divide by: it is as straight as it is.
    vec4 straight = color.a > 0.0 ? vec4(color.rgb / color.a, color.a) : color;
    vec4 changed = u_matrix * straight + (color.a > 0.0 ? u_offset : vec4(0.0));
    float alpha = clamp(changed.a, 0.0, 1.0);
    o_color = vec4(max(changed.rgb, 0.0) * (color.a > 0.0 ? alpha : 1.0), alpha);
}
