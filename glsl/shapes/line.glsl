// Evenly between two points; the normal points any way that is perpendicular.
#pragma gpuparticles include lib/arc.glsl
void emit_line(inout Birth birth, vec3 start, vec3 end) {
    birth.position = start + (end - start) * random_next(birth);
    birth.normal = perpendicular(end - start, random_next(birth));
}
