// Rows of four floats that the emitter's shape and modifiers brought along, one after the other. A
// kernel gets where its own lie: table = (first row, number of rows).
uniform sampler2D u_tables;

vec4 table_at(vec2 table, int row) {
    int i = int(table.x) + row;
    int width = textureSize(u_tables, 0).x;
    return texelFetch(u_tables, ivec2(i % width, i / width), 0);
}
