// Ways and boxes, in the axes of the box, from its centre.

// When a way enters a box, 0 to 1, on which axis, and when it leaves it: a box that is missed is left
// before it is entered.
vec2 box_span(vec3 from, vec3 to, vec3 half_size, out int axis) {
    vec2 span = vec2(-1e30, 1e30);
    axis = 0;
    for (int i = 0; i < 3; ++i) {
        float way = to[i] - from[i];
        if (abs(way) < 1e-30) {
            if (abs(from[i]) > half_size[i]) {
                span.y = -1e30;
            }
            continue;
        }
        float side = way > 0.0 ? 1.0 : -1.0;
        float first = (-side * half_size[i] - from[i]) / way;
        float last = (side * half_size[i] - from[i]) / way;
        if (first > span.x) {
            span.x = first;
            axis = i;
        }
        span.y = min(span.y, last);
    }
    return span;
}

// Whether any of a way lies in a box.
bool box_enters(vec3 from, vec3 to, vec3 half_size) {
    int axis;
    vec2 span = box_span(from, to, half_size, axis);
    return span.x <= span.y && span.x <= 1.0 && span.y >= 0.0;
}
