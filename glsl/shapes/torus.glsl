// Evenly through a tube bent round the Y axis. Its outer side is longer than its inner one, by
// 1 + r / radius * cos(theta): theta is drawn evenly and mirrored with the probability that makes
// up for it.
#pragma gpuparticles include lib/arc.glsl
void emit_torus(inout Birth birth, float radius, float tube, float thickness) {
    float phi = arc_next(birth);
    float r = tube * ring_radius(1.0, 1.0 - thickness, random_next(birth));
    float theta = TAU * random_next(birth);
    float keep = random_next(birth);
    float c = cos(theta);
    float longer = radius > 0.0 ? r / radius * c : 0.0;
    c = 2.0 * keep > 1.0 + longer ? -c : c;
    vec3 around = vec3(cos(phi), 0.0, sin(phi));
    birth.normal = c * around + vec3(0.0, sin(theta), 0.0);
    birth.position = radius * around + r * birth.normal;
}
