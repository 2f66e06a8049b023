// Fetches where some slots' particles are, and how they move.
#pragma gpuparticles inputs
uniform usampler2D u_slots;

layout(location = 0) out vec4 o_place;
layout(location = 1) out vec4 o_motion;

void main() {
    int width = textureSize(u_position_age, 0).x;
    int slot = int(texelFetch(u_slots, ivec2(gl_FragCoord.xy), 0).x);
    ivec2 at = ivec2(slot % width, slot / width);
    o_place = texelFetch(u_position_age, at, 0);
    o_motion = texelFetch(u_velocity_rotation, at, 0);
}
