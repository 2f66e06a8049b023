// Evenly through a box round the origin; half holds its half extents.
void emit_box(inout Birth birth, vec3 half_extents) {
    float x = random_next(birth);
    float y = random_next(birth);
    float z = random_next(birth);
    birth.position = half_extents * (2.0 * vec3(x, y, z) - 1.0);
}
