// Evenly over the area of a disc round the origin, perpendicular to normal.
vec3 emit_circle(uint seed, inout uint channel, float radius, vec3 normal) {
    float r = radius * sqrt(random_next(seed, channel));
    float phi = TAU * random_next(seed, channel);
    vec3 u, w;
    basis_around(unit(normal), u, w);
    return r * (cos(phi) * u + sin(phi) * w);
}
