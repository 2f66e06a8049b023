// Kill what enters a box, or what leaves it.
#pragma gpuparticles include lib/box.glsl
void modify_kill_box(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec3 center, vec3 half_size, vec3 right, vec3 up, float outside) {
    mat3 axes = axes_of(right, up);
    vec3 from = (before.position - center) * axes;
    vec3 to = (p.position - center) * axes;
    bool reached = outside > 0.5
        ? any(greaterThan(abs(to), half_size))
        : box_enters(from, to, half_size);
    if (reached) {
        contact.lost = FATAL;
    }
}
