// What is seen between two steps, as a state of its own, which the sprite pass draws: from the side
// before the last step to the one after it. Who was born within the step, or dies in it, is on its
// way for a part of it only.
#pragma gpuparticles outputs
#pragma gpuparticles inputs

uniform float u_blend; // how much of the step has passed, 0..1

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    vec4 first = texelFetch(u_before_position_age, slot, 0);
    vec4 last = texelFetch(u_position_age, slot, 0);
    vec4 first_motion = texelFetch(u_before_velocity_rotation, slot, 0);
    vec4 last_motion = texelFetch(u_velocity_rotation, slot, 0);
    float lifetime = uintBitsToFloat(texelFetch(u_lifetime_seed, slot, 0).x);

#pragma gpuparticles dying
    // Below 0 it is not born yet, from the lifetime on it is dead: the sprite pass hides both.
    float age = first.w + (last.w - first.w) * u_blend;
    float begin = max(first.w, 0.0);
    float way = min(last.w, lifetime) - begin;
    float weight = way > 0.0 ? clamp((age - begin) / way, 0.0, 1.0) : 1.0;
    // Of a turn only the part is kept: the shorter way round is the one that it took.
    float turned = last_motion.w - first_motion.w;
    turned -= floor(turned + 0.5);

    o_position_age = vec4(first.xyz + (last.xyz - first.xyz) * weight, age);
    o_velocity_rotation = vec4(
        first_motion.xyz + (last_motion.xyz - first_motion.xyz) * weight,
        first_motion.w + turned * weight);
}
