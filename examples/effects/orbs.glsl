// Orbs of energy: arms that turn about a bright core, inside a thin shell.

const float TURN = 6.2831853;

vec4 look(Look p) {
    vec2 q = 2.0 * p.uv - 1.0;
    float r = length(q);
    float way = own_random(p, 0) < 0.5 ? -1.0 : 1.0;
    float angle = atan(q.y, q.x) + TURN * own_random(p, 1);

    float arms = 0.5 + 0.5 * cos(arms_count * angle + way * (twist * r - speed * p.age));
    float core = exp(-14.0 * r * r);
    float shell = smoothstep(1.0, 0.94, r) * smoothstep(0.7, 0.95, r);
    float inside = smoothstep(1.0, 0.8, r);

    float light = 1.6 * core + inside * arms * arms * (1.0 - r) + 0.7 * shell;
    vec3 color = mix(p.color.rgb, vec3(1.0), clamp(core + 0.4 * shell * arms, 0.0, 1.0));
    return vec4(color * light, light) * p.color.a;
}
