// Keeps points of a trail that are apart: at a mark at which the particle has not gone far enough the
// last point that was kept is written again, with the number of its mark.
uniform sampler2D u_kept; // what was written at the mark before
uniform ivec2 u_mark;     // the number of the mark, and after how many a point is kept in any case
uniform float u_min_distance;

const uint COUNTED = 0xFFFFFFu; // numbers that a float holds

vec4 apart(vec4 place, ivec2 slot) {
    vec4 kept = texelFetch(u_kept, slot, 0);
    uvec4 origin = texelFetch(u_origin, slot, 0);
    if (int(uint(u_mark.x) - origin.w) <= 1) {
        kept = vec4(uintBitsToFloat(origin.xyz), float(origin.w & COUNTED));
    }
    vec3 way = place.xyz - kept.xyz;
    int passed = int((uint(u_mark.x) - uint(kept.w)) & COUNTED);
    bool near = dot(way, way) < u_min_distance * u_min_distance && passed < u_mark.y;
    return near ? kept : vec4(place.xyz, float(uint(u_mark.x) & COUNTED));
}
