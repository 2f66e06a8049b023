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
flat out vec4 v_cell;      // lower left corner and size of the frame, in texture coordinates
#pragma gpuparticles kernels

void hide() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    v_uv = vec2(0.0);
    v_color = vec4(0.0);
    v_cell = vec4(0.0);
}

vec4 flipbook_cell(float life, uint seed) {
    float frames = u_flipbook.z;
    float frame = floor(life * u_flipbook.w * frames);
    frame += floor(random_uniform(seed, CHANNEL_FRAME) * u_flipbook_random);
    frame = u_flipbook_loop > 0.0 ? frame - frames * floor(frame / frames) : min(frame, frames - 1.0);
    frame = clamp(frame, 0.0, frames - 1.0);
    float row = floor((frame + 0.5) / u_flipbook.x);
    vec2 size = 1.0 / u_flipbook.xy;
    return vec4((frame - row * u_flipbook.x) * size.x, 1.0 - (row + 1.0) * size.y, size);
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
    vec2 extent = u_view_scale * attributes.xz * curve_at(u_size_over_life, life);
#pragma gpuparticles extent
    vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) - 0.5;
    float angle = TAU * velocity_rotation.w;
    vec2 up = vec2(-sin(angle), cos(angle));
    if (attributes.y > 0.0) {
        // The shutter is open for attributes.y seconds: the streak runs from where the particle is
        // seen at first to where it is seen at last. Under perspective both are brought to its own
        // depth, along the line of sight, so that motion straight at the eye moves nothing; of a
        // way that halves the distance to the eye no more is shown.
        vec3 way = mat3(u_view) * velocity * (0.5 * attributes.y);
        float nearer = u_projection[2][3] != 0.0 ? way.z / center.z : 0.0;
        float shown = 0.5 / max(abs(nearer), 0.5);
        way *= shown;
        nearer *= shown;
        vec2 first = (center.xy - way.xy) / (1.0 - nearer);
        vec2 last = (center.xy + way.xy) / (1.0 + nearer);
        vec2 across = last - first;
        float streak = length(across);
        if (streak > 1e-4 * max(extent.x, extent.y)) {
            center.xy = 0.5 * (first + last);
            up = across / streak;
            extent.y += streak;
        }
    }
    // What is thinner than a pixel would be hit by some pixels and missed by others: it is drawn as
    // wide as can be seen, and as much fainter.
    vec4 clip = u_projection * vec4(center, 1.0);
    vec2 drawn = max(extent, u_pixel * abs(clip.w));
    if (any(lessThan(extent, 0.999 * drawn))) {
        color.a *= (extent.x * extent.y) / (drawn.x * drawn.y);
    }
    vec2 right = vec2(up.y, -up.x);
    center.xy += right * (corner.x * drawn.x) + up * (corner.y * drawn.y);
    gl_Position = u_projection * vec4(center, 1.0);
    v_uv = corner + 0.5;
    v_color = color;
    v_cell = flipbook_cell(life, lifetime_seed.y);
}
