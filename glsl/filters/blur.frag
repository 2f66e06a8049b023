// One way of a Gaussian blur; of what lies outside the layer there is nothing.
uniform sampler2D u_layer;
uniform vec2 u_way;     // (1, 0) or (0, 1)
uniform float u_radius; // pixels, two standard deviations
uniform vec2 u_extent;  // of the picture, which may be a smaller one

layout(location = 0) out vec4 o_color;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy), size = ivec2(u_extent), way = ivec2(u_way);
    int reach = int(ceil(u_radius));
    float narrow = 2.0 / max(u_radius, 1e-6);
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (int i = -reach; i <= reach; ++i) {
        float far = float(i) * narrow;
        float weight = exp(-0.5 * far * far);
        weights += weight;
        ivec2 other = place + i * way;
        if (all(greaterThanEqual(other, ivec2(0))) && all(lessThan(other, size))) {
            sum += weight * texelFetch(u_layer, other, 0);
        }
    }
    o_color = sum / weights;
}
