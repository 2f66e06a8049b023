// Evenly through a box round the origin; half holds its half extents.
vec3 emit_box(uint seed, inout uint channel, vec3 half_extents) {
    float x = random_next(seed, channel);
    float y = random_next(seed, channel);
    float z = random_next(seed, channel);
    return half_extents * (2.0 * vec3(x, y, z) - 1.0);
}
