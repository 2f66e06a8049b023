// What is faster than speed loses the excess: at once, or by exp(-damping * h).
vec3 modify_speed_limit(Particle p, float h, float speed, float damping) {
    float fast = length(p.velocity);
    float most = max(speed, 0.0);
    float kept = fast > most ? most / fast : 1.0;
    return p.velocity * (1.0 - (1.0 - kept) * (1.0 - exp(-damping * h)));
}
