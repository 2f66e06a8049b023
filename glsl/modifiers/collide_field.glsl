// Bounce off the surface that distances in a box describe.
#pragma gpuparticles include lib/box.glsl
#pragma gpuparticles include lib/distances.glsl
void modify_collide_field(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec2 distances, vec3 half_size, vec3 center, vec3 right, vec3 up, float inside) {
    vec3 cells = table_at(distances, 0).xyz;
    Distances field = Distances(
        distances, cells, max(2.0 * half_size, 1e-30) / cells, half_size, center,
        axes_of(right, up), inside > 0.5 ? -1.0 : 1.0, contact.surface.radius);
    Plane plane;
    for (int i = 0; i < STRIKES && h > 0.0; ++i) {
        if (!distance_ahead(field, before, p, contact, plane)
            || !strike(p, before, h, contact, plane)) {
            break;
        }
    }
    for (int i = 0; i < 4; ++i) {
        keep_out(p, contact, distance_plane(field, p.position));
    }
}
