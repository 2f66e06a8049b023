// Writes each line of a history with what was kept in the slots where its particles were.
uniform sampler2D u_source;
// For each slot 1 + the slot where its particle was, or 0 where nobody lives.
uniform usampler2D u_came_from;
uniform int u_planes;

layout(location = 0) out vec4 o_history;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    int plane = texel.y % u_planes;
    uint from = texelFetch(u_came_from, ivec2(texel.x, texel.y / u_planes), 0).x;
    if (from == 0u) {
        o_history = vec4(0.0);
        return;
    }
    from -= 1u;
    uint width = uint(textureSize(u_source, 0).x);
    o_history = texelFetch(u_source, ivec2(int(from % width), int(from / width) * u_planes + plane), 0);
}
