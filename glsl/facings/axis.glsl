// The height along an axis, a unit vector in view space.
#pragma gpuparticles include lib/tilted.glsl

Quad face_axis(vec3 center, vec2 extent, float angle, vec3 velocity, float shutter, vec3 axis) {
    float streak = dot(mat3(u_view) * velocity, axis) * shutter;
    return along(center, extent, axis, angle, abs(streak));
}
