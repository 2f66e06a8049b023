// The same acceleration everywhere: velocity += value * h.
vec3 modify_acceleration(Particle p, vec3 value) {
    return value;
}
