// Fireflies: each wanders near the ground, turns back at the edge of its meadow, and blinks at a pace of
// its own. custom.x is how bright it glows, custom.y where it is in its blinking; user is where it heads.

vec3 somewhere(State p, int n) {
    return vec3(own_random(p, n), 0.8 * own_random(p, n + 1), own_random(p, n + 2)) * 2.0 - vec3(1.0, 0.5, 1.0);
}

void start(inout State p, inout vec4 color) {
    p.custom.y = own_random(p, 0);
    p.user = vec4(somewhere(p, 1), 0.0);
}

void process(inout State p) {
    // Every other second it makes up its mind anew.
    p.user.w += p.h * (0.4 + 0.4 * own_random(p, 4));
    if (p.user.w > 1.0) {
        p.user = vec4(somewhere(p, 8 + 3 * int(p.age)), 0.0);
    }
    vec3 home = -p.position * smoothstep(0.8 * meadow, 1.2 * meadow, length(p.position));
    p.velocity += (p.user.xyz * pace + home - p.velocity) * (1.0 - exp(-1.8 * p.h));

    // A slow rise in the dark, a flash, and an afterglow.
    p.custom.y = fract(p.custom.y + p.h * (0.35 + 0.25 * own_random(p, 5)));
    float flash = smoothstep(0.0, 0.06, p.custom.y) * exp(-7.0 * p.custom.y);
    p.custom.x = 0.08 + 2.2 * flash;
}
