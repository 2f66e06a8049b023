// What lies behind, bent: red and green say from where it is seen, and half of them from here.
uniform float u_strength; // pixels

vec4 filtered(Picture p) {
    return scene_at(p.place + u_strength * (2.0 * p.color.rg - p.color.a));
}
