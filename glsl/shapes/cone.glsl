// Evenly over a disc in the emitter's XZ plane; the angle widens the spread of the launch.
vec3 emit_cone(uint seed, inout uint channel, float radius, float angle) {
    float r = radius * sqrt(random_next(seed, channel));
    float phi = TAU * random_next(seed, channel);
    return vec3(r * cos(phi), 0.0, r * sin(phi));
}
