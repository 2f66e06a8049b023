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

// A box as particles meet it: its faces moved by their radius.
struct Box {
    vec3 center;
    mat3 axes;
    vec3 half_size;
    bool inside; // they are kept in it
    bool top;    // only the face in the direction of up is there, from above
};

Plane box_face(Box box, int axis, float side) {
    vec3 normal = side * box.axes[axis];
    return Plane(box.center + box.half_size[axis] * normal, box.inside ? -normal : normal);
}

// The face nearest to a place; of a box without sides the top.
Plane box_plane(Box box, vec3 place) {
    vec3 from = (place - box.center) * box.axes;
    vec3 over = abs(from) - box.half_size;
    int axis = over.y > over.x ? 1 : 0;
    axis = over.z > over[axis] ? 2 : axis;
    if (box.top) {
        return box_face(box, 1, 1.0);
    }
    return box_face(box, axis, from[axis] < 0.0 ? -1.0 : 1.0);
}

// What is met first on the straight way from before to p.
bool box_ahead(Box box, Particle before, Particle p, Contact contact, out Plane plane) {
    vec3 from = (before.position - box.center) * box.axes;
    vec3 to = (p.position - box.center) * box.axes;
    float skin = skin_at(before.position);
    plane = box_plane(box, before.position);
    float above = height_over(plane, before.position);
    bool on = above <= skin;
    if (box.top) {
        float t = clamp(above / max(above - height_over(plane, p.position), 1e-30), 0.0, 1.0);
        vec2 over = abs(mix(from, to, t).xz) - box.half_size.xz;
        return above >= -skin && max(over.x, over.y) <= 0.0 && meets(plane, before, p, contact);
    }
    if (box.inside) {
        if (on && stuck(before, contact)) {
            return true;
        }
        float first = 2.0;
        for (int i = 0; i < 3; ++i) {
            float side = to[i] < 0.0 ? -1.0 : 1.0;
            Plane face = box_face(box, i, side);
            float way = abs(to[i] - from[i]);
            float t = clamp((box.half_size[i] - side * from[i]) / max(way, 1e-30), 0.0, 1.0);
            if (t < first && meets(face, before, p, contact)) {
                first = t;
                plane = face;
            }
        }
        return first < 2.0;
    }
    if (on) {
        return meets(plane, before, p, contact);
    }
    int axis;
    vec2 span = box_span(from, to, box.half_size, axis);
    plane = box_face(box, axis, to[axis] > from[axis] ? -1.0 : 1.0);
    return span.x <= span.y && span.x >= 0.0 && span.x <= 1.0;
}
