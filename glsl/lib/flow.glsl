// Where velocity is drawn to, as by a medium that moves: the difference falls by exp(-rate * t).
struct Pull {
    vec3 target; // units/s
    float rate;  // 1/s
    vec3 along;  // the only direction in which it is drawn, a unit vector or zero
    float aside; // 1 where it is drawn in all directions, and along is zero
};

Pull pull_everywhere(vec3 target, float rate) {
    return Pull(target, rate, vec3(0.0), 1.0);
}

Pull pull_along(vec3 direction, float speed, float rate) {
    return Pull(direction * speed, rate, direction, 0.0);
}

vec3 pulled(Pull pull, vec3 velocity, float t) {
    vec3 off = (pull.target - velocity) * (1.0 - exp(-pull.rate * t));
    return velocity + off * pull.aside + pull.along * dot(pull.along, off);
}

Pull turn(vec4 quaternion, Pull pull) {
    vec3 target = turn(quaternion, pull.target);
    return Pull(target, pull.rate, turn(quaternion, pull.along), pull.aside);
}

Pull turn_back(vec4 quaternion, Pull pull) {
    return turn(vec4(-quaternion.xyz, quaternion.w), pull);
}
