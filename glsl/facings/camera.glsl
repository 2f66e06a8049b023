// Parallel to the picture.
#pragma gpuparticles include lib/quad.glsl

Quad face_camera(vec3 center, vec2 extent, float angle, vec3 velocity, float shutter) {
    vec2 up = vec2(-sin(angle), cos(angle));
    if (shutter > 0.0) {
        // The shutter is open for so many seconds: the streak runs from where the particle is seen at
        // first to where it is seen at last. Under perspective both are brought to its own depth,
        // along the line of sight, so that motion straight at the eye moves nothing; of a way that
        // halves the distance to the eye no more is shown.
        vec3 way = mat3(u_view) * velocity * (0.5 * shutter);
        float nearer = u_projection[2][3] != 0.0 ? way.z / center.z : 0.0;
        float shown = 0.5 / max(abs(nearer), 0.5);
        way *= shown;
        nearer *= shown;
        vec2 first = (center.xy - way.xy) / (1.0 - nearer);
        vec2 last = (center.xy + way.xy) / (1.0 + nearer);
        vec2 across = last - first;
        float streak = length(across);
        if (streak > 1e-4 * max(extent.x, extent.y)) {
            center.xy = 0.5 * (first + last);
            up = across / streak;
            extent.y += streak;
        }
    }
    return Quad(center, vec3(up.y, -up.x, 0.0), vec3(up, 0.0), extent);
}

// The corner of a quad in clip space. What is thinner than a pixel would be hit by some pixels and
// missed by others: it is drawn as wide as can be seen, and as much fainter.
vec4 lay(Quad quad, vec2 reach, inout float alpha) {
    vec4 clip = u_projection * vec4(quad.center, 1.0);
    vec2 drawn = max(quad.extent, u_pixel * abs(clip.w));
    if (any(lessThan(quad.extent, 0.999 * drawn))) {
        alpha *= (quad.extent.x * quad.extent.y) / (drawn.x * drawn.y);
    }
    vec2 corner = quad.right.xy * (reach.x * drawn.x) + quad.up.xy * (reach.y * drawn.y);
    return u_projection * vec4(quad.center.xy + corner, quad.center.z, 1.0);
}
