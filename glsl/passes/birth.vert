// One instance per row that holds births: a strip of two triangles over that row. The mask's rows
// are packed; the entry behind a row's words says which row of the state it is.
#pragma gpuparticles include lib/births.glsl
#pragma gpuparticles block

flat out int v_words;
flat out int v_records;
flat out uint v_admit;

void main() {
    uvec4 header = births_texel(0);
    v_records = int(header.x);
    int entries = int(header.y);
    v_words = gl_InstanceID * entries;
    uvec2 place = births_entry(v_words + entries - 1);
    v_admit = place.y;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    float y = (float(place.x) + corner.y) / u_rows;
    gl_Position = vec4(2.0 * corner.x - 1.0, 2.0 * y - 1.0, 0.0, 1.0);
}
