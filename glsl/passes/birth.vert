// Vertices 0 to 3: one instance per row that holds births, a strip of two triangles over that row.
// The mask's rows are packed; the entry behind a row's words says which row of the state it is.
// Vertices from 4 on: one instance per birth, over its slot alone. Of 4 to 7 the texture knows slots
// and records, of 8 to 11 the block.
#pragma gpuparticles include lib/births.glsl
#pragma gpuparticles block

flat out int v_words;   // of the mask's row; -1 where there is no mask
flat out int v_records; // the first record's texel; -1 where it is v_record
flat out int v_rank;
flat out uint v_admit;
flat out uvec4 v_record;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
    v_record = uvec4(0u);
    v_rank = gl_InstanceID;
    v_admit = 0u;
    if (gl_VertexID < 4) {
        uvec4 header = births_texel(0);
        v_records = int(header.x);
        int entries = int(header.y);
        v_words = gl_InstanceID * entries;
        uvec2 place = births_entry(v_words + entries - 1);
        v_admit = place.y;
        float y = (float(place.x) + corner.y) / u_rows;
        gl_Position = vec4(2.0 * corner.x - 1.0, 2.0 * y - 1.0, 0.0, 1.0);
        return;
    }
    v_words = -1;
    int slot;
    if (gl_VertexID < 8) {
        v_records = int(births_texel(0).x);
        slot = int(births_texel(1 + (gl_InstanceID >> 2))[gl_InstanceID & 3]);
    } else {
        v_records = -1;
        v_record = u_few_records[gl_InstanceID];
        slot = int(u_few_slots[gl_InstanceID >> 2][gl_InstanceID & 3]);
    }
    int width = int(u_columns);
    vec2 place = (vec2(slot % width, slot / width) + corner) / vec2(u_columns, u_rows);
    gl_Position = vec4(2.0 * place - 1.0, 0.0, 1.0);
}
