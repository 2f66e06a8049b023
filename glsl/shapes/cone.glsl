// Evenly over a disc in the emitter's XZ plane, through the cone that stands on it, or over that
// cone's mantle. The angle widens the spread of the launch.
#pragma gpuparticles include lib/arc.glsl
void emit_cone(inout Birth birth, float radius, float angle, float length, float fill, float end_radius) {
    float s = sqrt(random_next(birth));
    float phi = arc_next(birth);
    float share = random_next(birth);
    vec3 around = vec3(cos(phi), 0.0, sin(phi));
    float a = radians(angle);
    if (fill < 0.5) {
        birth.position = radius * s * around;
    } else {
        // How far up the share of the volume, or of the mantle, is reached; written so that it
        // holds for a cylinder too, where both ends are as wide.
        float q = end_radius > 0.0 ? radius / end_radius : 1.0;
        float p = fill > 1.5
            ? sqrt(q * q + (1.0 - q * q) * share)
            : pow(q * q * q + (1.0 - q * q * q) * share, 1.0 / 3.0);
        float up = fill > 1.5
            ? share * (1.0 + q) / max(p + q, 1e-30)
            : share * (1.0 + q + q * q) / max(p * p + p * q + q * q, 1e-30);
        birth.position = end_radius * p * (fill > 1.5 ? 1.0 : s) * around;
        birth.position.y = length * up;
    }
    birth.normal = fill > 1.5
        ? cos(a) * around - vec3(0.0, sin(a), 0.0)
        : sin(a * s) * around + vec3(0.0, cos(a * s), 0.0);
}
