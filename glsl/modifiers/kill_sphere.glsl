// Kill what enters a sphere, or what leaves it.
void modify_kill_sphere(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec3 center, float radius, float outside) {
    vec3 way = p.position - before.position;
    vec3 away = before.position - center;
    // The nearest place of the way: nobody flies through.
    float along = clamp(-dot(away, way) / max(dot(way, way), 1e-30), 0.0, 1.0);
    vec3 near = outside > 0.5 ? p.position - center : away + along * way;
    if ((dot(near, near) < radius * radius) != (outside > 0.5)) {
        contact.lost = FATAL;
    }
}
