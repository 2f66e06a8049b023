// Bounce off a box, from outside or from inside, or off its top alone.
#pragma gpuparticles include lib/box.glsl
void modify_collide_box(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec3 center, vec3 half_size, vec3 right, vec3 up, float faces) {
    bool inside = faces == 1.0;
    float reach = inside ? -contact.surface.radius : contact.surface.radius;
    Box box = Box(
        center, axes_of(right, up), max(half_size + reach, vec3(0.0)), inside, faces == 2.0);
    Plane plane;
    for (int i = 0; i < STRIKES && h > 0.0; ++i) {
        if (!box_ahead(box, before, p, contact, plane)
            || !strike(p, before, h, contact, plane)) {
            break;
        }
    }
    if (!box.top) {
        // In a corner each of three walls may have to be seen to.
        for (int i = 0; i < (box.inside ? 3 : 1); ++i) {
            keep_out(p, contact, box_plane(box, p.position));
        }
    }
}
