// Evenly through a shell round the origin: the cube root makes equal volumes equally likely.
#pragma gpuparticles include lib/arc.glsl
void emit_sphere(inout Birth birth, float radius, float thickness, float half_only) {
    float z = random_next(birth);
    z = half_only > 0.0 ? z : 2.0 * z - 1.0;
    float phi = arc_next(birth);
    float inner = pow(1.0 - thickness, 3.0);
    float r = radius * pow(inner + (1.0 - inner) * random_next(birth), 1.0 / 3.0);
    float ring = sqrt(max(1.0 - z * z, 0.0));
    birth.normal = vec3(ring * cos(phi), z, ring * sin(phi));
    birth.position = r * birth.normal;
}
