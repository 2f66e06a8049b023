// Evenly along lines that join points. A row of path is a point, and the share of the whole length
// at which it is reached.
#pragma gpuparticles include lib/arc.glsl
#pragma gpuparticles include lib/tables.glsl
void emit_polyline(inout Birth birth, vec2 path) {
    float share = random_next(birth);
    int row = table_find(path, share);
    vec4 a = table_at(path, row);
    vec4 b = table_at(path, row + 1);
    birth.position = a.xyz + (b.xyz - a.xyz) * ((share - a.w) / (b.w - a.w));
    birth.normal = perpendicular(b.xyz - a.xyz, random_next(birth));
}
