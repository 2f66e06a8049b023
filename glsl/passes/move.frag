// Writes each slot of one texture of a state with what lay in the slot where its particle was.
#pragma gpuparticles include lib/particle.glsl
#pragma gpuparticles texel

// For each slot 1 + the slot where its particle was, or 0 where nobody lives.
uniform usampler2D u_came_from;

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    uint from = texelFetch(u_came_from, slot, 0).x;
    if (from == 0u) {
        o_texel = NOBODY;
        return;
    }
    from -= 1u;
    uint width = uint(textureSize(u_source, 0).x);
    o_texel = texelFetch(u_source, ivec2(int(from % width), int(from / width)), 0);
}
