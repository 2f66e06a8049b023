// Lays what has been weighed over the picture; premultiplied.
uniform sampler2D u_weighed;
uniform sampler2D u_cover;

layout(location = 0) out vec4 o_color;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    float cover = texelFetch(u_cover, place, 0).x;
    if (cover <= 0.0) {
        discard;
    }
    vec4 sum = texelFetch(u_weighed, place, 0);
    float share = 1.0 - exp(-cover);
    vec3 mean = clamp(sum.rgb, -65504.0, 65504.0) / max(sum.a, 1e-9);
    o_color = vec4(mean * share, share);
}
