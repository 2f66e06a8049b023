// Links the particles of an emitter as they are sorted by age: a quad from each to the next younger
// one. Entries of who does not live come last, and link nobody.
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles block
#pragma gpuparticles include lib/curve.glsl
#pragma gpuparticles include lib/band.glsl
#pragma gpuparticles inputs

uniform usampler2D u_order;
uniform mat4 u_view;       // from where particles live to the view, which may scale
uniform mat4 u_projection;
uniform vec4 u_tint;
uniform float u_view_scale;
uniform float u_pixel;     // units a pixel, at depth 1
uniform int u_entries;
uniform vec4 u_ribbon;     // factor of the width, longest piece, tiles a second or 0, tiles until now

out vec4 v_color;
out vec2 v_across;         // from the middle, and half the width: in a taper both matter
out float v_along;

const uint NOBODY = 0xffffffffu;

void hide() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    v_color = vec4(0.0);
    v_across = vec2(0.0, 1.0);
    v_along = 0.0;
}

// The slot of an entry; false for nobody.
bool find(int entry, out ivec2 slot) {
    int width = textureSize(u_position_age, 0).x;
    slot = ivec2(0);
    if (entry < 0 || entry >= u_entries) {
        return false;
    }
    uvec2 found = texelFetch(u_order, ivec2(entry % width, entry / width), 0).xy;
    slot = ivec2(int(found.y) % width, int(found.y) / width);
    return found.x != NOBODY;
}

vec3 place_of(ivec2 slot) {
    return texelFetch(u_position_age, slot, 0).xyz;
}

vec3 seen(ivec2 slot) {
    return (u_view * vec4(place_of(slot), 1.0)).xyz;
}

void main() {
    int piece = gl_InstanceID * int(u_row_slots) + gl_VertexID / 4;
    ivec2 older, younger, next;
    if (!find(piece, older) || !find(piece + 1, younger)
        || distance(place_of(older), place_of(younger)) > u_ribbon.y) {
        hide();
        return;
    }
    vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
    bool ending = corner.y > 0.0;
    ivec2 slot = ending ? younger : older;
    vec4 position_age = texelFetch(u_position_age, slot, 0);
    float lifetime = uintBitsToFloat(texelFetch(u_lifetime_seed, slot, 0).x);
    float age = position_age.w;
    float life = min(age / lifetime, 0.99999994);
    vec4 color = texelFetch(u_color, slot, 0) * gradient_at(u_color_over_life, life) * u_tint;
    float half_width = 0.5 * u_view_scale * u_ribbon.x * texelFetch(u_attributes, slot, 0).x;
    half_width *= curve_at(u_size_over_life, life);
#pragma gpuparticles look

    vec3 center = seen(slot);
    vec3 eye = u_projection[2][3] != 0.0 ? -center : vec3(0.0, 0.0, 1.0);
    vec3 own = across(seen(younger) - seen(older), eye, half_width);
    // The piece on the other side of the corner, if there is one.
    vec3 other = vec3(0.0);
    if (find(ending ? piece + 2 : piece - 1, next)
        && distance(place_of(next), place_of(slot)) <= u_ribbon.y) {
        vec3 way = ending ? seen(next) - center : center - seen(next);
        other = across(way, eye, half_width);
    }
    vec3 side = mitred(ending ? own : other, ending ? other : own, half_width);

    vec4 clip = u_projection * vec4(center, 1.0);
    float drawn = max(half_width, 0.5 * u_pixel * abs(clip.w));
    color.a *= half_width / drawn;
    vec2 edge = vec2(2.0 * corner.x - 1.0, 1.0) * drawn;
    gl_Position = u_projection * vec4(center + side * edge.x, 1.0);
    v_color = color;
    v_across = edge;
    v_along = u_ribbon.z > 0.0 ? u_ribbon.w - age * u_ribbon.z : life;
}
