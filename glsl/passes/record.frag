// Where each particle was at a mark within the last step: on the line from where the step began for
// it, or it was born, to where the step, or its life, has ended.
#pragma gpuparticles inputs

uniform ivec3 u_lines;
uniform float u_ago; // seconds from the mark to the end of the step

#pragma gpuparticles kernels

layout(location = 0) out vec4 o_history;

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    slot.y /= u_lines.y;
    vec4 first = texelFetch(u_before_position_age, slot, 0);
    vec4 last = texelFetch(u_position_age, slot, 0);
    float lifetime = uintBitsToFloat(texelFetch(u_lifetime_seed, slot, 0).x);
    float begin = max(first.w, 0.0);
    float way = min(last.w, lifetime) - begin;
    float weight = way > 0.0 ? clamp((last.w - u_ago - begin) / way, 0.0, 1.0) : 1.0;
    o_history = vec4(first.xyz + (last.xyz - first.xyz) * weight, 0.0);
#pragma gpuparticles apart
}
