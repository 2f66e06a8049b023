// Vertices 0 to 3: one instance per row that holds births, a strip of two triangles over that row.
// The mask's rows are packed; the entry behind a row's words says which row of the state it is.
// Vertices 4 to 7: one instance per birth, over its slot alone. Both are in the block; a frame has
// hundreds of small emitters in which one or two particles are born.
#pragma gpuparticles include lib/births.glsl
#pragma gpuparticles block

flat out int v_words;
flat out int v_records;
flat out uint v_admit;
flat out uvec4 v_record;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
    if (gl_VertexID >= 4) {
        int slot = int(u_few_slots[gl_InstanceID >> 2][gl_InstanceID & 3]);
        int width = int(u_columns);
        v_words = v_records = -1;
        v_admit = 0u;
        v_record = u_few_records[gl_InstanceID];
        vec2 place = (vec2(slot % width, slot / width) + corner) / vec2(u_columns, u_rows);
        gl_Position = vec4(2.0 * place - 1.0, 0.0, 1.0);
        return;
    }
    v_record = uvec4(0u);
    uvec4 header = births_texel(0);
    v_records = int(header.x);
    int entries = int(header.y);
    v_words = gl_InstanceID * entries;
    uvec2 place = births_entry(v_words + entries - 1);
    v_admit = place.y;
    float y = (float(place.x) + corner.y) / u_rows;
    gl_Position = vec4(2.0 * corner.x - 1.0, 2.0 * y - 1.0, 0.0, 1.0);
}
