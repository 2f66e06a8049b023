// Motes that fall into a portal: each is drawn in along a spiral, and dies where it crosses the ring. custom.x
// is how near it has come, 0 to 1.

void start(inout State p, inout vec4 color) {
    vec2 q = p.position.xy;
    vec2 around = vec2(-q.y, q.x) / max(length(q), 1e-3);
    p.velocity = vec3(around * swirl, 0.6 * (own_random(p, 0) - 0.5));
}

void process(inout State p) {
    vec2 q = p.position.xy;
    float r = max(length(q), 1e-3);
    vec2 out_of = q / r;
    vec2 around = vec2(-out_of.y, out_of.x);
    // What spirals in keeps its turn: the closer, the faster.
    vec2 wanted = around * swirl * sqrt(3.0 / r) - out_of * (0.35 + 0.5 / r);
    p.velocity.xy += (wanted - p.velocity.xy) * (1.0 - exp(-6.0 * p.h));
    p.velocity.z -= 4.0 * p.position.z * p.h;
    p.custom.x = clamp((3.0 - r) / (3.0 - ring), 0.0, 1.0);
    p.alive = r > ring;
}
