// Evenly through a ball round the origin: the cube root makes equal volumes equally likely.
vec3 emit_sphere(uint seed, inout uint channel, float radius) {
    float z = 2.0 * random_next(seed, channel) - 1.0;
    float phi = TAU * random_next(seed, channel);
    float r = radius * pow(random_next(seed, channel), 1.0 / 3.0);
    float ring = sqrt(max(1.0 - z * z, 0.0));
    return r * vec3(ring * cos(phi), z, ring * sin(phi));
}
