// Towards a point; the top is as far up as that allows. Given the world's axes and that point, as the
// columns of a matrix.
#pragma gpuparticles include lib/tilted.glsl

Quad face_point(
    vec3 center, vec2 extent, float angle, vec3 velocity, float shutter, mat4 world) {
    vec3 normal = unit(world[3].xyz - center);
    normal = normal == vec3(0.0) ? unit(world[2].xyz) : normal;
    vec3 right = cross(unit(world[1].xyz), normal);
    if (dot(right, right) < 1e-6) { // straight up or down: as a map lies, north at the top
        right = cross(unit(-world[2].xyz), normal);
    }
    right = unit(right);
    vec3 way = mat3(u_view) * velocity * shutter;
    return in_plane(center, extent, right, cross(normal, right), angle, way);
}
