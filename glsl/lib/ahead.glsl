// How far away lies what has a depth.
uniform mat4x2 u_unprojection; // from a place in the window to what lies ahead there: (distance, 1) * w

float distance_ahead(float depth) {
    vec2 ahead = u_unprojection * vec4(gl_FragCoord.xy, depth, 1.0);
    return ahead.x / max(ahead.y, 1e-30); // 0 where the far plane is infinitely far
}
