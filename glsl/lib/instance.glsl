// One instance of an effect among the many that share a pool's textures: a row of u_instances.
#pragma gpuparticles include lib/space.glsl

struct Instance {
    vec3 place; // units, from the pool's anchor; at the end of the update
    vec4 turn;  // quaternion
    mat3 scale; // scale, shear and mirror
    vec4 tint;
    vec3 place_begin; // where it was at the begin of the update
    vec4 turn_begin;
    vec2 turn_arc; // between the two turns
};

Instance load_instance(sampler2D instances, uint row) {
    int y = int(row);
    vec4 place = texelFetch(instances, ivec2(0, y), 0);
    vec4 place_begin = texelFetch(instances, ivec2(6, y), 0);
    Instance instance;
    instance.place = place.xyz;
    instance.turn = texelFetch(instances, ivec2(1, y), 0);
    instance.scale = mat3(
        texelFetch(instances, ivec2(2, y), 0).xyz,
        texelFetch(instances, ivec2(3, y), 0).xyz,
        texelFetch(instances, ivec2(4, y), 0).xyz);
    instance.tint = texelFetch(instances, ivec2(5, y), 0);
    instance.place_begin = place_begin.xyz;
    instance.turn_begin = texelFetch(instances, ivec2(7, y), 0);
    instance.turn_arc = vec2(place_begin.w, place.w);
    return instance;
}

// Where it is on its way through the update, 0 at the begin and 1 at the end.
vec3 place_along(Instance instance, float along) {
    return instance.place_begin + (instance.place - instance.place_begin) * along;
}

vec4 turn_along(Instance instance, float along) {
    if (instance.turn_begin == instance.turn) {
        return instance.turn;
    }
    return slerp(instance.turn_begin, instance.turn, instance.turn_arc, along);
}
