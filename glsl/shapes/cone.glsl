// Evenly over a disc in the emitter's XZ plane; the angle widens the spread of the launch.
void emit_cone(inout Birth birth, float radius, float angle) {
    float r = radius * sqrt(random_next(birth));
    float phi = TAU * random_next(birth);
    birth.position = vec3(r * cos(phi), 0.0, r * sin(phi));
}
