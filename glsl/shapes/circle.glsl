// Evenly over the area of a disc round the origin, perpendicular to normal.
void emit_circle(inout Birth birth, float radius, vec3 normal) {
    float r = radius * sqrt(random_next(birth));
    float phi = TAU * random_next(birth);
    vec3 u, w;
    basis_around(unit(normal), u, w);
    birth.position = r * (cos(phi) * u + sin(phi) * w);
}
