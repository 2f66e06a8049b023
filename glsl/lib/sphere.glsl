// Spheres that are met from outside (side 1) or from inside (side -1).

Plane sphere_plane(vec3 place, vec3 center, float radius, float side) {
    vec3 out_there = unit(place - center);
    if (out_there == vec3(0.0)) {
        out_there = vec3(0.0, 1.0, 0.0);
    }
    return Plane(center + radius * out_there, side * out_there);
}

// What is met first on the straight way from before to p.
bool sphere_ahead(
    Particle before, Particle p, Contact contact, vec3 center, float radius, float side,
    out Plane plane) {
    plane = sphere_plane(before.position, center, radius, side);
    bool on = height_over(plane, before.position) <= skin_at(before.position);
    if (on && meets(plane, before, p, contact)) {
        return true;
    }
    vec3 way = p.position - before.position;
    vec3 away = before.position - center;
    float a = max(dot(way, way), 1e-30);
    float b = dot(away, way);
    float c = dot(away, away) - radius * radius;
    float root = sqrt(max(b * b - a * c, 0.0));
    float t;
    if (side > 0.0) {
        if (on || b >= 0.0 || b * b < a * c) {
            return false;
        }
        t = c / (root - b);
    } else {
        vec3 last = p.position - center;
        if (dot(last, last) <= radius * radius) {
            return false;
        }
        t = b > 0.0 ? -c / (b + root) : (root - b) / a;
    }
    plane = sphere_plane(before.position + clamp(t, 0.0, 1.0) * way, center, radius, side);
    return t <= 1.0;
}
