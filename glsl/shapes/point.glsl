// At the emitter's origin.
vec3 emit_point(uint seed, inout uint channel) {
    return vec3(0.0);
}
