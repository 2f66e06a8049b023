// Makes positions relative to another anchor; nothing else about a particle changes.
#pragma gpuparticles block
#pragma gpuparticles outputs
#pragma gpuparticles inputs

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    vec4 position_age = texelFetch(u_position_age, slot, 0);
    o_position_age = vec4(position_age.xyz + u_shift, position_age.w);
    o_velocity_rotation = texelFetch(u_velocity_rotation, slot, 0);
#pragma gpuparticles keep
}
