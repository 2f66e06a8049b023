// Evenly through the tube between two radii round the Y axis.
#pragma gpuparticles include lib/arc.glsl
void emit_cylinder(inout Birth birth, float radius, float height, float inner) {
    float r = ring_radius(radius, inner, random_next(birth));
    float phi = arc_next(birth);
    float y = height * (random_next(birth) - 0.5);
    birth.normal = vec3(cos(phi), 0.0, sin(phi));
    birth.position = r * birth.normal + vec3(0.0, y, 0.0);
}
