// Come in again on the other side of a box.
void modify_wrap(
    inout Particle p, Particle before, float h, inout Contact contact,
    vec3 center, vec3 half_size, vec3 right, vec3 up) {
    mat3 axes = axes_of(right, up);
    vec3 place = (p.position - center) * axes;
    bool wraps = false;
    for (int i = 0; i < 3; ++i) {
        // An axis without extent does not wrap.
        if (half_size[i] > 0.0 && abs(place[i]) > half_size[i]) {
            float width = 2.0 * half_size[i];
            place[i] -= width * floor(place[i] / width + 0.5);
            place[i] = clamp(place[i], -half_size[i], half_size[i]);
            wraps = true;
        }
    }
    if (wraps) {
        p.position = center + axes * place;
    }
}
