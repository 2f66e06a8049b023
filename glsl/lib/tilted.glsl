// Sprites that are not parallel to the picture.
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles include lib/quad.glsl

// From a place to the camera; where there is no perspective, it is in the same direction for all.
vec3 towards_eye(vec3 place) {
    return u_projection[2][3] != 0.0 ? unit(-place) : vec3(0.0, 0.0, 1.0);
}

// In a plane: turned by an angle, or drawn out along the part of a way that lies in it.
Quad in_plane(vec3 center, vec2 extent, vec3 right, vec3 up, float angle, vec3 way) {
    vec2 across = vec2(dot(way, right), dot(way, up));
    float streak = length(across);
    vec2 ahead = vec2(-sin(angle), cos(angle));
    if (streak > 1e-4 * max(extent.x, extent.y)) {
        ahead = across / streak;
        extent.y += streak;
    }
    return Quad(center, right * ahead.y - up * ahead.x, right * ahead.x + up * ahead.y, extent);
}

// Along a unit vector, as wide to the camera as can be; end on, any side will do.
Quad along(vec3 center, vec2 extent, vec3 up, float angle, float streak) {
    vec3 right = unit(cross(up, towards_eye(center)));
    if (right == vec3(0.0)) {
        vec3 other;
        basis_around(up, right, other);
    }
    return in_plane(center, extent, right, up, angle, up * streak);
}

// A vector at a place as it is seen: in the picture, in units at the place's depth.
vec2 seen(vec3 place, vec3 vector) {
    return vector.xy - (u_projection[2][3] != 0.0 ? place.xy * (vector.z / place.z) : vec2(0.0));
}

// The corner of a quad in clip space. What is seen thinner than a pixel is drawn a pixel wide and as
// much fainter, also a plane that is seen from its edge: a parallelogram, whose shorter side counts
// across its longer one.
vec4 lay(Quad quad, vec2 reach, inout float alpha) {
    vec3 center = quad.center;
    vec3 right = quad.right * quad.extent.x;
    vec3 up = quad.up * quad.extent.y;
    vec3 corner = center + right * reach.x + up * reach.y;
    vec4 clip = u_projection * vec4(center, 1.0);
    if (clip.w > 0.0) {
        vec2 longer = seen(center, right);
        vec2 shorter = seen(center, up);
        float area = abs(longer.x * shorter.y - longer.y * shorter.x);
        if (dot(longer, longer) < dot(shorter, shorter)) {
            vec2 other = longer;
            longer = shorter;
            shorter = other;
            reach = reach.yx;
        }
        float size = length(longer);
        float thickness = area / max(size, 1e-30);
        vec2 drawn = max(vec2(size, thickness), u_pixel * clip.w);
        if (min(size, thickness) < 0.999 * u_pixel * clip.w) {
            vec2 ahead = size > 0.0 ? longer / size : vec2(0.0, 1.0);
            vec2 aside = vec2(-ahead.y, ahead.x);
            aside *= dot(aside, shorter) < 0.0 ? -1.0 : 1.0;
            corner.xy += ahead * (reach.x * (drawn.x - size)) + aside * (reach.y * (drawn.y - thickness));
            alpha *= area / (drawn.x * drawn.y);
        }
    }
    return u_projection * vec4(corner, 1.0);
}
