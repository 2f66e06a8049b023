// One instance for each row of slots: a strip of two triangles over the line of the history that
// holds a mark of the row. The marks of a row lie one above the other, each in a plane's line.
uniform ivec3 u_lines; // the mark's plane, planes, lines of the whole history

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    float y = (float(gl_InstanceID * u_lines.y + u_lines.x) + corner.y) / float(u_lines.z);
    gl_Position = vec4(2.0 * corner.x - 1.0, 2.0 * y - 1.0, 0.0, 1.0);
}
