// What shapes round an axis share.

// The next birth's angle round the axis, in radians: drawn, or where its phase has got to.
float arc_next(inout Birth birth) {
    float share = u_shape_arc.y > 0.0 ? birth.phase : random_next(birth);
    return TAU * u_shape_arc.x * share;
}

// A radius between two, all parts of the ring between them as likely. They may be swapped.
float ring_radius(float a, float b, float share) {
    float outer = max(a, b);
    float inner = outer > 0.0 ? min(a, b) / outer : 0.0;
    return outer * sqrt(inner * inner + (1.0 - inner * inner) * share);
}

// Any unit vector perpendicular to an axis of any length.
vec3 perpendicular(vec3 axis, float share) {
    vec3 u, w;
    basis_around(unit(axis), u, w);
    return cos(TAU * share) * u + sin(TAU * share) * w;
}
