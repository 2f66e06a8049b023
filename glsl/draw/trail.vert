// Pulls trails straight from where particles are and have been: a quad for each piece of a way, the
// pieces of one particle after the other. Whoever has no trail, and pieces that there are not,
// leave the clip volume at once.
//
// The nodes of a trail, from the particle on: where it is, the marks since, where it ends. Each has
// a time, in seconds before the moment that is seen.
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles block
#pragma gpuparticles include lib/curve.glsl
#pragma gpuparticles include lib/band.glsl
#pragma gpuparticles inputs

uniform sampler2D u_history;
uniform mat4 u_view;       // from where particles live to the view, which may scale
uniform mat4 u_projection;
uniform vec4 u_tint;
uniform float u_view_scale;
uniform float u_pixel;     // units a pixel, at depth 1
uniform ivec4 u_marks;     // the last mark, its plane, planes, ticks from one mark to the next
uniform ivec3 u_quads;     // pieces a trail, trails an instance, slots
uniform vec4 u_times;      // seconds since the last mark, from one to the next, of a trail, of a dead one
uniform vec3 u_ribbon;     // factor of the width, longest piece, 1 / length of a tile or 0

#pragma gpuparticles kernels

out vec4 v_color;
out vec2 v_across;         // from the middle, and half the width: in a taper both matter
out float v_along;

const uint COUNTED = 0xFFFFFFu; // numbers of marks that a float holds

ivec2 slot;
vec4 head;                 // a place, and how many seconds ago it was there
vec4 born;
int first;                 // the newest mark of the trail, counted back from the last one
int known;                 // how many of the marks that are kept were set since the birth
int since;                 // how many there have been

void hide() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    v_color = vec4(0.0);
    v_across = vec2(0.0, 1.0);
    v_along = 0.0;
}

float ago_at(int mark) {
    return u_times.x + float(mark) * u_times.y;
}

vec4 kept_at(int mark) {
    int plane = (u_marks.y - mark + u_marks.z) % u_marks.z;
    return texelFetch(u_history, ivec2(slot.x, slot.y * u_marks.z + plane), 0);
}

vec4 point_at(int mark);

// A node of the way, as a place and how many seconds ago the particle was there.
vec4 point_of(int node) {
    int mark = first + node - 1;
    return node <= 0 ? head : mark >= known ? born : point_at(mark);
}

// The node on the other side of a piece, of those that are elsewhere.
vec4 point_beyond(int node, int way);
#pragma gpuparticles points

vec3 seen(vec3 place) {
    return (u_view * vec4(place, 1.0)).xyz;
}

void main() {
    int quad = gl_VertexID / 4;
    int linear = gl_InstanceID * u_quads.y + quad / u_quads.x;
    int piece = quad % u_quads.x;
    if (linear >= u_quads.z) {
        hide();
        return;
    }
    int width = textureSize(u_position_age, 0).x;
    slot = ivec2(linear % width, linear / width);
    vec4 position_age = texelFetch(u_position_age, slot, 0);
    float lifetime = uintBitsToFloat(texelFetch(u_lifetime_seed, slot, 0).x);
    float age = position_age.w;
    float head_ago = max(age - lifetime, 0.0);
    if (age < 0.0 || age >= lifetime && head_ago >= u_times.w) {
        hide();
        return;
    }
    // Seconds since the birth: the dead have their age at death in place of a rotation.
    float grown = age < lifetime ? age : texelFetch(u_velocity_rotation, slot, 0).w + head_ago;

    // Only marks that were set since the birth are the particle's. A moment that is rounded to whole
    // ticks may lie at the mark to come.
    uvec4 origin = texelFetch(u_origin, slot, 0);
    since = max(int(min(uint(u_marks.x) - origin.w + 1u, 2u * uint(u_marks.z))) - 1, 0);
    known = min(since, u_marks.z);
    float birth_ago = clamp(grown, ago_at(since - 1), ago_at(since));
    float tail_ago = min(birth_ago, u_times.z);
    first = max(int(floor((head_ago - u_times.x) / u_times.y)) + 1, 0);
    // Most trails that are short have no such piece: a mark is as old as it, or older.
    if (tail_ago <= head_ago || piece > 0 && ago_at(first + piece - 1) >= tail_ago) {
        hide();
        return;
    }
    head = vec4(position_age.xyz, head_ago);
    born = vec4(uintBitsToFloat(origin.xyz), birth_ago);
#pragma gpuparticles ends
    vec4 from = point_of(piece);
    vec4 to = point_of(piece + 1);
    if (from.w >= tail_ago || to.w <= from.w || distance(from.xyz, to.xyz) > u_ribbon.y) {
        hide();
        return;
    }
    // The end is cut between two nodes.
    bool cut = to.w > tail_ago;
    vec3 last = cut ? mix(from.xyz, to.xyz, (tail_ago - from.w) / (to.w - from.w)) : to.xyz;

    vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
    bool ending = corner.y > 0.0;
    float ago = ending ? min(to.w, tail_ago) : from.w;
    float t = ago / tail_ago;
    // The look that the particle had there.
    float life = clamp((grown - ago) / lifetime, 0.0, 0.99999994);
    vec4 color = texelFetch(u_color, slot, 0) * gradient_at(u_color_over_life, life) * u_tint;
    color *= gradient_at(u_color_over_trail, t);
    float half_width = 0.5 * u_view_scale * u_ribbon.x * texelFetch(u_attributes, slot, 0).x;
    half_width *= curve_at(u_size_over_life, life) * curve_at(u_width_over_trail, t);
#pragma gpuparticles look

    vec3 begin = seen(from.xyz);
    vec3 end = seen(last);
    vec3 center = ending ? end : begin;
    vec3 eye = u_projection[2][3] != 0.0 ? -center : vec3(0.0, 0.0, 1.0);
    vec3 own = across(end - begin, eye, half_width);
    // The piece on the other side of the corner, if there is one.
    vec3 other = vec3(0.0);
    if (ending ? !cut : piece > 0) {
        vec3 place = point_beyond(ending ? piece + 1 : piece, ending ? 1 : -1).xyz;
        vec3 way = ending ? seen(place) - center : center - seen(place);
        bool linked = distance(place, ending ? to.xyz : from.xyz) <= u_ribbon.y;
        other = linked ? across(way, eye, half_width) : other;
    }
    vec3 side = mitred(ending ? own : other, ending ? other : own, half_width);

    vec4 clip = u_projection * vec4(center, 1.0);
    float drawn = max(half_width, 0.5 * u_pixel * abs(clip.w));
    color.a *= half_width / drawn;
    vec2 edge = vec2(2.0 * corner.x - 1.0, 1.0) * drawn;
    gl_Position = u_projection * vec4(center + side * edge.x, 1.0);
    v_color = color;
    v_across = edge;
    v_along = t;
    if (u_ribbon.z > 0.0) {
        v_along = 0.0;
        vec4 before = head;
        for (int i = 1; i <= piece; ++i) {
            vec4 node = point_of(i);
            v_along += distance(before.xyz, node.xyz) * u_ribbon.z;
            before = node;
        }
        v_along += ending ? distance(from.xyz, last) * u_ribbon.z : 0.0;
    }
}
