// Moves without changing velocity: position += value * h.
vec3 modify_velocity_over_life(Particle p, float h, vec3 value) {
    return value * h;
}
