// A mesh for each slot, an instance each; the particle comes from the state textures. Dead slots
// leave the clip volume at once.
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles include lib/random.glsl
#pragma gpuparticles block
#pragma gpuparticles include lib/curve.glsl
#pragma gpuparticles include lib/orientation.glsl
#pragma gpuparticles inputs

uniform mat4 u_view;       // from where particles live to the view, which may scale
uniform mat4 u_projection;
uniform vec4 u_tint;
uniform float u_view_scale;

in vec3 in_position;
in vec3 in_normal;
in vec2 in_uv;
in vec4 in_color;

out vec2 v_uv;
out vec4 v_color;
#pragma gpuparticles outputs
#pragma gpuparticles kernels

void hide() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    v_uv = vec2(0.0);
    v_color = vec4(0.0);
}

void main() {
    int linear = gl_InstanceID;
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
    float life = min(age / lifetime, 0.99999994);
    vec4 velocity_rotation = texelFetch(u_velocity_rotation, slot, 0);
    vec4 attributes = texelFetch(u_attributes, slot, 0);
    vec4 color = texelFetch(u_color, slot, 0) * gradient_at(u_color_over_life, life) * u_tint;
    vec3 position = position_age.xyz;
    vec3 velocity = velocity_rotation.xyz;
#pragma gpuparticles instance
#pragma gpuparticles look
    if (color.a <= 0.0) {
        hide();
        return;
    }
    vec3 center = (u_view * vec4(position, 1.0)).xyz;
#pragma gpuparticles distance

    vec2 extent = attributes.xz * curve_at(u_size_over_life, life);
#pragma gpuparticles extent
    vec3 scale = extent.xyx * u_model_scale;
    uint seed = lifetime_seed.y;
#pragma gpuparticles turned
    vec3 place = center + mat3(u_view) * turn(turned, scale * in_position);
    gl_Position = u_projection * vec4(place, 1.0);
    v_uv = in_uv;
    v_color = color * in_color;
#pragma gpuparticles lit
}
