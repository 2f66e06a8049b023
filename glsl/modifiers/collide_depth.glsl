// Bounce off what the depth of the host's scene shows.
#pragma gpuparticles include lib/scene.glsl
void modify_collide_depth(
    inout Particle p, Particle before, float h, inout Contact contact, float thickness) {
    if (u_depth[9].x <= 0.0) {
        return;
    }
    Plane plane;
    for (int i = 0; i < STRIKES && h > 0.0; ++i) {
        if (!scene_ahead(before, p, contact, thickness, plane)
            || !strike(p, before, h, contact, plane)) {
            break;
        }
    }
    for (int i = 0; i < 2; ++i) {
        keep_out(p, contact, scene_plane(p.position, contact.surface.radius, thickness));
    }
}
