// Flat in the emitter's plane, given its axes: perpendicular to its +Y, the top along its -Z.
#pragma gpuparticles include lib/tilted.glsl

Quad face_emitter(
    vec3 center, vec2 extent, float angle, vec3 velocity, float shutter, mat3 axes) {
    vec3 way = mat3(u_view) * velocity * shutter;
    return in_plane(center, extent, unit(axes[0]), unit(-axes[2]), angle, way);
}

// The axes of a frame that is turned, in another one.
mat3 turned_axes(mat3 frame, vec4 quaternion) {
    return frame * mat3(
        turn(quaternion, vec3(1.0, 0.0, 0.0)),
        turn(quaternion, vec3(0.0, 1.0, 0.0)),
        turn(quaternion, vec3(0.0, 0.0, 1.0)));
}
