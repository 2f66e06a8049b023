// Ground: heights on a grid over a rectangle, bilinear between them.
//
// The first row of the table says how many cells lie along right and along the third axis; then each
// cell has a row, with the heights of its corners.
#pragma gpuparticles include lib/tables.glsl

// Cells that a particle may cross within one step; of a longer way the end alone is looked at.
const int GROUND_CELLS = 256;

struct Ground {
    vec2 table;
    vec2 cells;   // along both sides
    vec2 spacing; // units a cell
    vec3 center;
    mat3 axes;    // right, up, and what completes them
    float scale;
    float radius; // how far from it a particle is kept
};

// Where a place lies, in cells from the first corner.
vec2 ground_cells(Ground ground, vec3 from) {
    return from.xz / ground.spacing + 0.5 * ground.cells;
}

// The height over a cell is a + b x + c z + d x z, x and z from 0 to 1. The radius is that of a plane
// as steep as the cell's middle.
vec4 ground_cell(Ground ground, ivec2 cell) {
    int row = 1 + cell.y * int(ground.cells.x) + cell.x;
    vec4 h = ground.scale * table_at(ground.table, row);
    vec4 form = vec4(h.x, h.y - h.x, h.z - h.x, h.x - h.y - h.z + h.w);
    vec2 slope = (form.yz + 0.5 * form.w) / ground.spacing;
    form.x += ground.radius * sqrt(1.0 + dot(slope, slope));
    return form;
}

// The plane that touches a cell in a place, x and z in cells from the first corner.
Plane ground_touched(Ground ground, ivec2 cell, vec2 place) {
    vec4 form = ground_cell(ground, cell);
    vec2 f = place - vec2(cell);
    vec2 slope = (form.yz + form.w * f.yx) / ground.spacing;
    float height = form.x + form.y * f.x + form.z * f.y + form.w * f.x * f.y;
    vec2 from = (place - 0.5 * ground.cells) * ground.spacing;
    return Plane(
        ground.center + ground.axes * vec3(from.x, height, from.y),
        unit(ground.axes * vec3(-slope.x, 1.0, -slope.y)));
}

// The plane that touches the ground above or below a place.
Plane ground_plane(Ground ground, vec3 place) {
    vec2 at = ground_cells(ground, (place - ground.center) * ground.axes);
    if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, ground.cells))) {
        return nowhere(place, ground.axes[1]);
    }
    return ground_touched(ground, ivec2(min(at, ground.cells - 1.0)), at);
}

// What is met first on the straight way from before to p: cell by cell.
bool ground_ahead(Ground ground, Particle before, Particle p, Contact contact, out Plane plane) {
    plane = ground_plane(ground, before.position);
    float skin = skin_at(before.position);
    bool on = height_over(plane, before.position) <= skin;
    if (on && meets(plane, before, p, contact)) {
        return true;
    }
    vec3 from = (before.position - ground.center) * ground.axes;
    vec3 to = (p.position - ground.center) * ground.axes;
    vec2 begin = ground_cells(ground, from);
    vec2 way = ground_cells(ground, to) - begin;
    float t = 0.0;
    float end = 1.0;
    for (int i = 0; i < 2; ++i) {
        if (abs(way[i]) < 1e-30) {
            end = begin[i] < 0.0 || begin[i] > ground.cells[i] ? -1.0 : end;
        } else {
            float first = -begin[i] / way[i];
            float last = (ground.cells[i] - begin[i]) / way[i];
            t = max(t, min(first, last));
            end = min(end, max(first, last));
        }
    }
    if (t > end) {
        return false;
    }
    // What lies on it does not fall through by rounding.
    float slack = on || contact.last ? skin : 0.0;
    vec2 cell = clamp(floor(begin + t * way), vec2(0.0), ground.cells - 1.0);
    for (int i = 0; i < GROUND_CELLS; ++i) {
        vec2 next = vec2(2.0);
        for (int k = 0; k < 2; ++k) {
            if (abs(way[k]) >= 1e-30) {
                next[k] = (cell[k] + (way[k] > 0.0 ? 1.0 : 0.0) - begin[k]) / way[k];
            }
        }
        float last = max(t, min(min(next.x, next.y), end));
        // The height over the ground, as it changes along the way: c + b t + a t^2.
        vec4 form = ground_cell(ground, ivec2(cell));
        vec2 f = begin - cell;
        float c = from.y + slack - (form.x + form.y * f.x + form.z * f.y + form.w * f.x * f.y);
        float b = to.y - from.y
            - (form.y * way.x + form.z * way.y + form.w * (f.x * way.y + f.y * way.x));
        float a = -form.w * way.x * way.y;
        float down = b * b >= 4.0 * a * c ? fall_time(c, b, 2.0 * a) : 2.0;
        bool crosses = down >= t && down <= last;
        // Who was under it at first is on the way out, or is put onto it in the end.
        bool sinks = (i > 0 || c + t * (b + t * a) >= 0.0) && c + last * (b + last * a) < 0.0;
        if (crosses || sinks) {
            plane = ground_touched(ground, ivec2(cell), begin + clamp(down, t, last) * way);
            return true;
        }
        if (last >= end) {
            return false;
        }
        int k = next.x < next.y ? 0 : 1;
        cell[k] += way[k] > 0.0 ? 1.0 : -1.0;
        if (cell[k] < 0.0 || cell[k] >= ground.cells[k]) {
            return false;
        }
        t = last;
    }
    return false;
}
