// Kill what is behind a plane.
void modify_kill_plane(
    inout Particle p, Particle before, float h, inout Contact contact, vec3 normal, vec3 point) {
    if (dot(normal, p.position - point) < 0.0) {
        contact.lost = FATAL;
    }
}
