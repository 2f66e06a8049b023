// Evenly over the ring between two radii round the origin, perpendicular to normal.
#pragma gpuparticles include lib/arc.glsl
void emit_circle(inout Birth birth, float radius, vec3 normal, float inner) {
    float r = ring_radius(radius, inner, random_next(birth));
    float phi = arc_next(birth);
    vec3 u, w;
    basis_around(unit(normal), u, w);
    birth.normal = cos(phi) * u + sin(phi) * w;
    birth.position = r * birth.normal;
}
