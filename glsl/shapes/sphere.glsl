// Evenly through a ball round the origin: the cube root makes equal volumes equally likely.
void emit_sphere(inout Birth birth, float radius) {
    float z = 2.0 * random_next(birth) - 1.0;
    float phi = TAU * random_next(birth);
    float r = radius * pow(random_next(birth), 1.0 / 3.0);
    float ring = sqrt(max(1.0 - z * z, 0.0));
    birth.position = r * vec3(ring * cos(phi), z, ring * sin(phi));
}
