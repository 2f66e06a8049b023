// One frame of a sheet, never its neighbours: the coordinate stays half a texel of the coarser level
// inside the frame.
vec4 sample_cell(sampler2D sheet, vec4 cell, float most, vec2 place) {
    vec2 texels = vec2(textureSize(sheet, 0));
    vec2 uv = place * cell.zw * texels;
    // A streak squeezes its texture one way and stretches it the other: the level that suits the
    // squeezed way alone would blur it to a bar. What suits the area is sharper, by as much as does
    // not flicker.
    vec2 dx = dFdx(uv), dy = dFdy(uv);
    float squeezed = 0.5 * log2(max(max(dot(dx, dx), dot(dy, dy)), 1e-12));
    float even = 0.5 * log2(max(abs(dx.x * dy.y - dx.y * dy.x), 1e-12));
    float level = clamp(max(even, squeezed - 2.0), 0.0, most);
    vec2 inset = min(0.5 * exp2(ceil(level)) / texels, 0.5 * cell.zw);
    place = clamp(cell.xy + place * cell.zw, cell.xy + inset, cell.xy + cell.zw - inset);
    return textureLod(sheet, place, level);
}
