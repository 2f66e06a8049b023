// Pulls particles straight from the state textures: four vertices a slot, up to 1024 slots an
// instance. Dead slots leave the clip volume at once.
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles include lib/random.glsl
#pragma gpuparticles block
#pragma gpuparticles include lib/curve.glsl
#pragma gpuparticles inputs

uniform mat4 u_view;       // from where particles live to the view, which may scale
uniform mat4 u_projection;
uniform vec4 u_tint;
uniform float u_view_scale;
uniform float u_pixel;     // units a pixel, at depth 1

out vec2 v_uv;
flat out vec4 v_color;
#pragma gpuparticles outputs
#pragma gpuparticles kernels

void hide() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    v_uv = vec2(0.0);
    v_color = vec4(0.0);
}

void main() {
    int linear = gl_InstanceID * int(u_row_slots) + gl_VertexID / 4;
    int width = textureSize(u_position_age, 0).x;
#pragma gpuparticles order
    ivec2 slot = ivec2(linear % width, linear / width);
    vec4 position_age = texelFetch(u_position_age, slot, 0);
    uvec2 lifetime_seed = texelFetch(u_lifetime_seed, slot, 0).xy;
    float lifetime = uintBitsToFloat(lifetime_seed.x);
    float age = position_age.w;
    if (age < 0.0 || age >= lifetime) {
        hide();
        return;
    }
    // Below 1 even where division is inexact: a flipbook that loops would begin again.
    float life = min(age / lifetime, 0.99999994);
    vec4 velocity_rotation = texelFetch(u_velocity_rotation, slot, 0);
    vec4 attributes = texelFetch(u_attributes, slot, 0);
    vec4 color = texelFetch(u_color, slot, 0) * gradient_at(u_color_over_life, life) * u_tint;
    vec3 position = position_age.xyz;
    vec3 velocity = velocity_rotation.xyz;
#pragma gpuparticles instance
#pragma gpuparticles look

    vec3 center = (u_view * vec4(position, 1.0)).xyz;
#pragma gpuparticles distance
    float scale = u_view_scale; // of sizes, to units in view space
#pragma gpuparticles scale
    vec2 extent = scale * attributes.xz * curve_at(u_size_over_life, life);
#pragma gpuparticles extent
    vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
    vec2 reach = corner - 0.5;
#pragma gpuparticles pivot
    float angle = TAU * velocity_rotation.w;
#pragma gpuparticles facing
#pragma gpuparticles length
#pragma gpuparticles lit
    gl_Position = lay(quad, reach, color.a);
    v_uv = corner;
    v_color = color;
#pragma gpuparticles frame
#pragma gpuparticles particle
}
