// At the points of a grid round the origin: any of them, or one after the other, X first.
void emit_grid(inout Birth birth, vec3 counts, vec3 spacing, float order) {
    float x = random_next(birth);
    float y = random_next(birth);
    float z = random_next(birth);
    vec3 cell = min(floor(vec3(x, y, z) * counts), counts - 1.0);
    if (order > 0.5) {
        int i = int(birth.phase);
        int nx = int(counts.x);
        int ny = int(counts.y);
        cell = vec3(i % nx, (i / nx) % ny, i / (nx * ny));
    }
    birth.position = (cell - 0.5 * (counts - 1.0)) * spacing;
}
