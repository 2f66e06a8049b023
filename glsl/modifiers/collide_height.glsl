// Bounce off ground whose height is given over a rectangle.
#pragma gpuparticles include lib/ground.glsl
void modify_collide_height(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec2 heights, float width, float depth, float scale, vec3 center, vec3 right, vec3 up) {
    vec2 cells = table_at(heights, 0).xy;
    Ground ground = Ground(
        heights, cells, max(vec2(width, depth), 1e-30) / cells, center, axes_of(right, up), scale,
        contact.surface.radius);
    Plane plane;
    for (int i = 0; i < STRIKES && h > 0.0; ++i) {
        if (!ground_ahead(ground, before, p, contact, plane)
            || !strike(p, before, h, contact, plane)) {
            break;
        }
    }
    plane = ground_plane(ground, p.position);
    // Straight up, where the height is right however the ground bends.
    keep_out(p, contact, plane, ground.axes[1] / dot(ground.axes[1], plane.normal));
}
