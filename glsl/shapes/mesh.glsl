// Evenly over the faces of a mesh, or at its vertices. A row of faces is its three corners, and
// where its share of the whole area begins. There is a normal for each face, or three, one for each
// of its corners; without faces one for each vertex.
#pragma gpuparticles include lib/tables.glsl
void emit_mesh(inout Birth birth, vec2 vertices, vec2 faces, vec2 normals, vec2 colors) {
    float share = random_next(birth);
    float s = sqrt(random_next(birth));
    float t = random_next(birth);
    ivec3 corner = ivec3(any_of(vertices.y, share));
    ivec3 facing = corner;
    // Evenly over a triangle: Osada et al., "Shape Distributions", ACM TOG 21(4), 2002.
    vec3 weight = vec3(1.0 - s, s * (1.0 - t), s * t);
    if (faces.y > 0.0) {
        int face = table_find(faces, share);
        corner = ivec3(table_at(faces, face).xyz);
        facing = normals.y > faces.y ? 3 * face + ivec3(0, 1, 2) : ivec3(face);
    }
    mat3 place = mat3(
        table_at(vertices, corner.x).xyz,
        table_at(vertices, corner.y).xyz,
        table_at(vertices, corner.z).xyz);
    mat3 normal = mat3(
        table_at(normals, facing.x).xyz,
        table_at(normals, facing.y).xyz,
        table_at(normals, facing.z).xyz);
    birth.position = place * weight;
    birth.normal = unit(normal * weight);
    if (colors.y > 0.0) {
        birth.color = table_at(colors, corner.x) * weight.x
            + table_at(colors, corner.y) * weight.y + table_at(colors, corner.z) * weight.z;
    }
}
