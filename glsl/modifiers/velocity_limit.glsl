// What is faster than speeds along an axis loses the excess: at once, or by exp(-damping * h).
vec3 modify_velocity_limit(Particle p, float h, vec3 speeds, float damping) {
    vec3 most = max(speeds, vec3(0.0));
    vec3 excess = p.velocity - clamp(p.velocity, -most, most);
    return p.velocity - excess * (1.0 - exp(-damping * h));
}
