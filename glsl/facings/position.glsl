// Perpendicular to the line of sight; what is up in the picture stays up.
#pragma gpuparticles include lib/tilted.glsl

Quad face_position(vec3 center, vec2 extent, float angle, vec3 velocity, float shutter) {
    vec3 normal = towards_eye(center);
    vec3 right = unit(cross(vec3(0.0, 1.0, 0.0), normal));
    vec3 up = cross(normal, right);
    // A streak runs from where the particle is seen at first to where it is seen at last, as that of
    // a sprite which is parallel to the picture: both are brought to the sprite's plane, along the
    // lines of sight.
    vec3 way = mat3(u_view) * velocity * (0.5 * shutter);
    float nearer = u_projection[2][3] != 0.0 ? -dot(way, normal) / max(length(center), 1e-30) : 0.0;
    float shown = 0.5 / max(abs(nearer), 0.5);
    way *= shown;
    nearer *= shown;
    vec3 first = (center - way) / (1.0 - nearer);
    vec3 last = (center + way) / (1.0 + nearer);
    return in_plane(0.5 * (first + last), extent, right, up, angle, last - first);
}
