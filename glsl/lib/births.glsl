// What the CPU uploads for a birth pass: texels that follow each other through the texture's rows.
// First a header (the first record's texel, the entries of a mask row), then the mask, two entries
// of two words in a texel, or the slots of scattered births, four in a texel, then the records.
uniform usampler2D u_births;

uvec4 births_texel(int i) {
    int width = textureSize(u_births, 0).x;
    return texelFetch(u_births, ivec2(i % width, i / width), 0);
}

uvec2 births_entry(int i) {
    uvec4 both = births_texel(1 + (i >> 1));
    return (i & 1) == 0 ? both.xy : both.zw;
}
