// Square pixels: the mean of each.
uniform sampler2D u_layer;
uniform float u_size; // of a square, in pixels; the first lies in the lower left corner
uniform vec4 u_box;    // the viewport: left, bottom, width, height

layout(location = 0) out vec4 o_color;

void main() {
    int side = int(u_size);
    ivec2 size = textureSize(u_layer, 0), corner = ivec2(u_box.xy);
    ivec2 first = corner + ((ivec2(gl_FragCoord.xy) - corner) / side) * side;
    ivec2 last = min(first + side, size);
    vec4 sum = vec4(0.0);
    for (int y = first.y; y < last.y; ++y) {
        for (int x = first.x; x < last.x; ++x) {
            sum += texelFetch(u_layer, ivec2(x, y), 0);
        }
    }
    o_color = sum / float(side * side);
}
