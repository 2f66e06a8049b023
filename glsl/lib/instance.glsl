// One instance of an effect among the many that share a pool's textures: a row of u_instances.

struct Instance {
    vec3 place; // units, from the pool's anchor
    vec4 turn;  // quaternion
    mat3 scale; // scale, shear and mirror
    vec4 tint;
};

Instance load_instance(sampler2D instances, uint row) {
    int y = int(row);
    Instance instance;
    instance.place = texelFetch(instances, ivec2(0, y), 0).xyz;
    instance.turn = texelFetch(instances, ivec2(1, y), 0);
    instance.scale = mat3(
        texelFetch(instances, ivec2(2, y), 0).xyz,
        texelFetch(instances, ivec2(3, y), 0).xyz,
        texelFetch(instances, ivec2(4, y), 0).xyz);
    instance.tint = texelFetch(instances, ivec2(5, y), 0);
    return instance;
}
