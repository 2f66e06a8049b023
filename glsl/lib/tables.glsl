// Rows of four floats that the emitter's shape and modifiers brought along, one after the other. A
// kernel gets where its own lie: table = (first row, number of rows).
uniform sampler2D u_tables;

vec4 table_at(vec2 table, int row) {
    int i = int(table.x) + row;
    return texelFetch(u_tables, ivec2(i & 1023, i >> 10), 0); // 1024 texels wide: no division
}

// The row to which a share of the whole belongs: the last whose w, where its own share begins, is
// not beyond it.
int table_find(vec2 table, float share) {
    int low = 0;
    int high = int(table.y);
    while (high - low > 1) {
        int middle = (low + high) >> 1;
        if (table_at(table, middle).w <= share) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Any of count things, all as likely.
int any_of(float count, float share) {
    return int(min(floor(share * count), count - 1.0));
}
