// Bounce off a plane, and never be behind it.
void modify_collide_plane(
    inout Particle p, Particle before, float h, inout Contact contact, vec3 normal, vec3 point) {
    vec3 n = unit(normal);
    Plane plane = Plane(point + n * contact.surface.radius, n);
    for (int i = 0; i < STRIKES && h > 0.0 && meets(plane, before, p, contact); ++i) {
        if (!strike(p, before, h, contact, plane)) {
            break;
        }
    }
    keep_out(p, contact, plane);
}
