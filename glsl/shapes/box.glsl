// Evenly through a box round the origin, over its faces or along its edges.
void emit_box(inout Birth birth, vec3 half_extents, float fill) {
    float x = random_next(birth);
    float y = random_next(birth);
    float z = random_next(birth);
    float share = random_next(birth);
    vec3 at = 2.0 * vec3(x, y, z) - 1.0;
    vec3 side = vec3(at.x < 0.0 ? -1.0 : 1.0, at.y < 0.0 ? -1.0 : 1.0, at.z < 0.0 ? -1.0 : 1.0);
    // A face is chosen by its area, an edge by its length; inside, the nearest face.
    vec3 weight = fill > 1.5 ? half_extents : half_extents.yxx * half_extents.zzy;
    float picked = share * (weight.x + weight.y + weight.z);
    vec3 away = half_extents * (1.0 - abs(at));
    bool first = fill < 0.5 ? away.x <= min(away.y, away.z) : picked < weight.x;
    bool second = fill < 0.5 ? away.y <= away.z : picked < weight.x + weight.y;
    vec3 axis = first ? vec3(1.0, 0.0, 0.0) : second ? vec3(0.0, 1.0, 0.0) : vec3(0.0, 0.0, 1.0);
    // Where a place is pushed out to a side, the normal points; an edge lies between two.
    vec3 out_to = fill > 1.5 ? 1.0 - axis : axis;
    birth.normal = unit(out_to * side);
    birth.position = half_extents * (fill < 0.5 ? at : mix(at, side, out_to));
}
