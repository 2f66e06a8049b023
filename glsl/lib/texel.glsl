#pragma gpuparticles include lib/cell.glsl

uniform sampler2D u_texture;

// The texture's colour at a place in a frame, premultiplied.
vec4 sample_texel(vec4 cell, vec2 place) {
    vec4 texel = sample_cell(u_texture, cell, u_mip_limit, place);
    return vec4(texel.rgb * (u_straight > 0.0 ? texel.a : 1.0), texel.a);
}
