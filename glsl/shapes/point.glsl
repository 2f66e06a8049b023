// At the emitter's origin.
void emit_point(inout Birth birth) {
    birth.position = vec3(0.0);
}
