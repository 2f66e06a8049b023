// At given points: any of them, or one after the other.
#pragma gpuparticles include lib/tables.glsl
void emit_points(inout Birth birth, vec2 positions, vec2 normals, vec2 colors, float order) {
    int i = any_of(positions.y, random_next(birth));
    i = order > 0.5 ? int(birth.phase) : i;
    birth.position = table_at(positions, i).xyz;
    birth.normal = normals.y > 0.0 ? table_at(normals, i).xyz : birth.normal;
    birth.color = colors.y > 0.0 ? table_at(colors, i) : birth.color;
}
