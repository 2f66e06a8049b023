// Where to: for births that set out along what differs from particle to particle.

// v / |v|, and +Y where that has no meaning.
vec3 unit_or_up(vec3 v) {
    vec3 direction = unit(v);
    return dot(direction, direction) > 0.0 ? direction : vec3(0.0, 1.0, 0.0);
}

// The normal of a surface that is scaled along the axes: by the cofactors, which no axis of scale 0
// makes infinite.
vec3 scaled_normal(vec3 normal, vec3 scale) {
    float mirror = scale.x * scale.y * scale.z < 0.0 ? -1.0 : 1.0;
    return mirror * normal * scale.yzx * scale.zxy;
}
