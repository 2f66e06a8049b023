// The height along the motion; what is at rest is turned to the camera.
#pragma gpuparticles include facings/position.glsl

Quad face_velocity(vec3 center, vec2 extent, float angle, vec3 velocity, float shutter) {
    vec3 motion = mat3(u_view) * velocity;
    vec3 up = unit(motion);
    if (up == vec3(0.0)) {
        return face_position(center, extent, angle, vec3(0.0), 0.0);
    }
    return along(center, extent, up, angle, length(motion) * shutter);
}
