// Piecewise-linear curves over 0..1, held outside their stops. A curve is a span (first, count) of
// rows in u_stops, one per segment: (start, 1 / length, value at start, value at end). The last
// segment that has started applies, so two stops at one place are a hard step. Weighting both ends
// keeps the ends exact. A smooth curve has half a row more, which nothing looks up.

float curve_at(vec2 span, float t) {
    int first = int(span.x);
    int end = first + int(span.y);
    vec4 segment = u_stops[first];
    for (int i = first + 1; i < end; ++i) {
        if (t >= u_stops[i].x) {
            segment = u_stops[i];
        }
    }
    float f = clamp((t - segment.x) * segment.y, 0.0, 1.0);
#pragma gpuparticles smooth
    return segment.z * (1.0 - f) + segment.w * f;
}

// A gradient has three rows a segment: (start, 1 / length, -, -), colour at start, colour at end.
vec4 gradient_at(vec2 span, float t) {
    int first = int(span.x);
    int end = first + 3 * int(span.y);
    int row = first;
    for (int i = first + 3; i < end; i += 3) {
        if (t >= u_stops[i].x) {
            row = i;
        }
    }
    float f = clamp((t - u_stops[row].x) * u_stops[row].y, 0.0, 1.0);
#pragma gpuparticles smooth
    return u_stops[row + 1] * (1.0 - f) + u_stops[row + 2] * f;
}
