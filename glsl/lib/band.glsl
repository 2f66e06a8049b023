// Bands of straight pieces that turn their width to the eye.

const float LIMIT = 1.5; // of how far a corner reaches out, in half widths

// Across a piece, towards which the ribbon is as wide as it is said to be, seen from the eye; zero
// for a piece so short that it has no direction.
vec3 across(vec3 way, vec3 eye, float half_width) {
    vec3 side = cross(way, eye);
    float squared = dot(side, side);
    float least = 1e-4 * half_width;
    return squared > max(least * least * dot(eye, eye), 1e-30) ? side * inversesqrt(squared) : vec3(0.0);
}

// Where the edge of a corner lies, in half widths from its middle, given what lies across the piece
// before it and the one behind. Both keep their width up to where their edges meet, within a limit.
// Where one of them has no direction, or is none, the other's counts; without any there is no width.
vec3 mitred(vec3 before, vec3 behind, inout float half_width) {
    before = before == vec3(0.0) ? behind : before;
    behind = behind == vec3(0.0) ? before : behind;
    if (before == vec3(0.0)) {
        half_width = 0.0;
    }
    vec3 side = before + behind;
    float squared = dot(side, side);
    return squared > 1e-6 ? side * min(2.0 / squared, LIMIT * inversesqrt(squared)) : before;
}
