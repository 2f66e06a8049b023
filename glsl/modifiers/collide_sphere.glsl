// Bounce off a sphere, from outside or from inside.
#pragma gpuparticles include lib/sphere.glsl
void modify_collide_sphere(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec3 center, float radius, float inside) {
    float side = inside > 0.5 ? -1.0 : 1.0;
    float reach = max(radius + side * contact.surface.radius, 0.0);
    Plane plane;
    for (int i = 0; i < STRIKES && h > 0.0; ++i) {
        if (!sphere_ahead(before, p, contact, center, reach, side, plane)
            || !strike(p, before, h, contact, plane)) {
            break;
        }
    }
    keep_out(p, contact, sphere_plane(p.position, center, reach, side));
}
