// Keeps points of a trail that are apart: at a mark at which the particle has not gone far enough the
// last point that was kept is written again, with the number of its mark.
uniform sampler2D u_kept; // what was written at the mark before
uniform ivec2 u_mark;     // the number of the mark, and after how many a point is kept in any case
uniform float u_min_distance;

const uint COUNTED = 0xFFFFFFu; // numbers that a float holds

// Given where a particle was at the mark, its slot, and how many seconds after its birth.
vec4 apart(vec4 place, ivec2 slot, float grown) {
    vec4 kept = texelFetch(u_kept, slot, 0);
    uvec4 origin = texelFetch(u_origin, slot, 0);
    if (uint(u_mark.x) - origin.w + 1u <= 2u) {
        kept = vec4(uintBitsToFloat(origin.xyz), float(origin.w & COUNTED));
    }
    int passed = int((uint(u_mark.x) - uint(kept.w)) & COUNTED);
#pragma gpuparticles way
    bool near = dot(way, way) < u_min_distance * u_min_distance && passed < u_mark.y;
    return near ? kept : vec4(place.xyz, float(uint(u_mark.x) & COUNTED));
}
