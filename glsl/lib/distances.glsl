// Distances to a surface on a grid in a box, trilinear between them; negative behind the surface.
//
// The first row of the table says how many cells lie along x, y and z; then each sample has a row,
// with the distances of itself and of its neighbours along x, along y, and along both.
#pragma gpuparticles include lib/tables.glsl

// How often a way is looked at within one step, at most half a cell further each time where a surface
// is near; what lies behind the last place is seen in the next step.
const int DISTANCE_STEPS = 128;

struct Distances {
    vec2 table;
    vec3 cells;   // along the axes
    vec3 spacing; // units a cell
    vec3 half_size;
    vec3 center;
    mat3 axes;
    float side;   // -1: particles are kept behind the surface
    float radius; // how far from it
};

// The distance of a place in the box, in the axes of the box, and in xyz where it grows.
vec4 distance_at(Distances field, vec3 from) {
    vec3 at = clamp(from / field.spacing + 0.5 * field.cells, vec3(0.0), field.cells);
    vec3 cell = min(floor(at), field.cells - 1.0);
    vec3 f = at - cell;
    ivec3 counts = ivec3(field.cells) + 1;
    int row = 1 + (int(cell.z) * counts.y + int(cell.y)) * counts.x + int(cell.x);
    vec4 near = table_at(field.table, row);
    vec4 far = table_at(field.table, row + counts.x * counts.y);
    vec4 layer = mix(near, far, f.z);
    vec2 rows = mix(layer.xz, layer.yw, f.x);
    vec2 columns = mix(layer.xy, layer.zw, f.y);
    vec4 deeper = far - near;
    vec2 deep = mix(deeper.xz, deeper.yw, f.x);
    vec3 slope = vec3(columns.y - columns.x, rows.y - rows.x, mix(deep.x, deep.y, f.y));
    float distance = field.side * mix(rows.x, rows.y, f.y) - field.radius;
    return vec4(field.side * slope / field.spacing, distance);
}

// The plane that stands for the surface as seen from a place.
Plane distance_plane(Distances field, vec3 place) {
    vec3 from = (place - field.center) * field.axes;
    if (any(greaterThan(abs(from), field.half_size))) {
        return nowhere(place, field.axes[1]);
    }
    vec4 found = distance_at(field, from);
    vec3 normal = unit(field.axes * found.xyz);
    if (normal == vec3(0.0)) {
        normal = field.axes[1];
    }
    return Plane(place - normal * found.w, normal);
}

// What is met first on the straight way from before to p: in steps that no surface can hide in, then
// by halves.
bool distance_ahead(
    Distances field, Particle before, Particle p, Contact contact, out Plane plane) {
    plane = distance_plane(field, before.position);
    float skin = skin_at(before.position);
    bool on = height_over(plane, before.position) <= skin;
    if (on && meets(plane, before, p, contact)) {
        return true;
    }
    vec3 from = (before.position - field.center) * field.axes;
    vec3 way = (p.position - field.center) * field.axes - from;
    int axis;
    vec2 span = box_span(from, from + way, field.half_size, axis);
    float t = max(span.x, 0.0);
    float end = min(span.y, 1.0);
    if (t > end) {
        return false;
    }
    // What lies on it does not fall through by rounding.
    float slack = on || contact.last ? skin : 0.0;
    float least = 0.5 * min(min(field.spacing.x, field.spacing.y), field.spacing.z);
    float pace = 1.0 / max(length(way), 1e-30);
    float over = distance_at(field, from + t * way).w + slack;
    // Who was behind it at first is on the way out, or is put onto it in the end.
    for (int i = 0; i < DISTANCE_STEPS && t < end; ++i) {
        float next = min(t + max(over, least) * pace, end);
        float then = distance_at(field, from + next * way).w + slack;
        if (over >= 0.0 && then < 0.0) {
            for (int k = 0; k < 12; ++k) {
                float middle = 0.5 * (t + next);
                if (distance_at(field, from + middle * way).w + slack < 0.0) {
                    next = middle;
                } else {
                    t = middle;
                }
            }
            plane = distance_plane(field, before.position + next * (p.position - before.position));
            return true;
        }
        t = next;
        over = then;
    }
    return false;
}
