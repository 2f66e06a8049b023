// In the pixels of a picture, as likely as they are opaque, and anywhere in each. A row of pixels
// is its lower left corner and its width, for a picture of width 1, and where its share begins.
#pragma gpuparticles include lib/tables.glsl
void emit_image(inout Birth birth, vec2 pixels, vec2 colors, float width) {
    int i = table_find(pixels, random_next(birth));
    float x = random_next(birth);
    float y = random_next(birth);
    vec4 pixel = table_at(pixels, i);
    birth.position = vec3(width * (pixel.xy + pixel.z * vec2(x, y)), 0.0);
    birth.normal = vec3(0.0, 0.0, 1.0);
    birth.color = colors.y > 0.0 ? table_at(colors, i) : birth.color;
}
