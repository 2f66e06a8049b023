// Colours in the data are straight; what is written is premultiplied. Less alpha for the same colour
// adds more than it covers: from 0, alpha blending, to 1, pure light.
#pragma gpuparticles block

uniform sampler2D u_texture;

in vec2 v_uv;
flat in vec4 v_color;
flat in vec4 v_cell;
#pragma gpuparticles inputs

#pragma gpuparticles kernels

out vec4 o_color;

// One frame of a sheet, never its neighbours: the coordinate stays half a texel of the coarser level
// inside the frame.
vec4 sample_cell(sampler2D sheet, vec4 cell, float most) {
    vec2 texels = vec2(textureSize(sheet, 0));
    vec2 uv = v_uv * cell.zw * texels;
    // A streak squeezes its texture one way and stretches it the other: the level that suits the
    // squeezed way alone would blur it to a bar. What suits the area is sharper, by as much as does
    // not flicker.
    vec2 dx = dFdx(uv), dy = dFdy(uv);
    float squeezed = 0.5 * log2(max(max(dot(dx, dx), dot(dy, dy)), 1e-12));
    float even = 0.5 * log2(max(abs(dx.x * dy.y - dx.y * dy.x), 1e-12));
    float level = clamp(max(even, squeezed - 2.0), 0.0, most);
    vec2 inset = min(0.5 * exp2(ceil(level)) / texels, 0.5 * cell.zw);
    vec2 place = clamp(cell.xy + v_uv * cell.zw, cell.xy + inset, cell.xy + cell.zw - inset);
    return textureLod(sheet, place, level);
}

vec4 sample_color(vec4 cell) {
    vec4 texel = sample_cell(u_texture, cell, u_mip_limit);
    return vec4(texel.rgb * (u_textured > 1.0 ? texel.a : 1.0), texel.a);
}

void main() {
    vec4 texel;
    if (u_textured > 0.0) {
        texel = sample_color(v_cell);
#pragma gpuparticles next
    } else {
        texel = vec4(1.0 - smoothstep(0.1, 1.0, length(2.0 * v_uv - 1.0)));
    }
    float alpha = clamp(v_color.a, 0.0, 1.0);
#pragma gpuparticles soft
    vec4 color = texel * vec4(v_color.rgb, 1.0) * alpha;
#pragma gpuparticles lit
#pragma gpuparticles cut
    o_color = vec4(color.rgb, color.a * (1.0 - u_additive));
}
