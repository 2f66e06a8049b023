// What happens where a particle meets a surface. A constraint finds the plane that the particle meets
// first, the surface itself or what touches it there; the rest is the same for all of them.

const int BOUNCE = 0;
const int STICK = 1;
const int DIE = 2;

// Seconds of life, more than anyone has.
const float FATAL = 1e30;

// Surfaces that a particle can strike in one step; whoever strikes more stops at the last one.
const int STRIKES = 4;

// A surface as a constraint has it for one particle.
struct Surface {
    float restitution; // part of the speed across that a bounce keeps, 0..1
    float friction;    // part of the speed along that a hit takes, 0..1
    float loss;        // part of the lifetime that a hit costs, 0..1
    float radius;      // how far from the surface the particle is kept, units
    float tremble;     // how far its normal may be from the true one, as a slope
    int answer;        // BOUNCE, STICK or DIE
};

struct Contact {
    bool resting; // it has come to lie, and does not spin in this step
    float lost;   // seconds of life, added to the age after the step
    float step;   // seconds of the whole step
    int struck;   // surfaces met
    bool bent;    // an earlier constraint has bent the path
    bool last;    // who meets a surface stays there until the next step
    vec3 normal;  // of the surface met last; 0 without
    vec3 force;   // units/s^2, before any constraint
    Surface surface;
};

// Whatever is on the side of the normal is outside.
struct Plane {
    vec3 point;
    vec3 normal;
};

float height_over(Plane plane, vec3 place) {
    return dot(plane.normal, place - plane.point);
}

// What stands for a surface where there is none.
Plane nowhere(vec3 place, vec3 up) {
    return Plane(place - 1e6 * up, up);
}

// How far from a surface is still on it: what float32 makes of a place on it.
float skin_at(vec3 place) {
    return 4e-6 * (1.0 + abs(place.x) + abs(place.y) + abs(place.z));
}

// What has stuck is known by that it does not move at all.
bool stuck(Particle before, Contact contact) {
    return contact.surface.answer == STICK && before.velocity == vec3(0.0);
}

// Coulomb's coefficient of a friction from 0 to 1.
float coulomb(float friction) {
    return friction / max(1.0 - friction, 1e-20);
}

// When a height a, whose speed is b and whose acceleration c, comes down to zero.
float fall_time(float a, float b, float c) {
    float root = sqrt(max(b * b - 2.0 * c * a, 0.0));
    if (b < 0.0) {
        return 2.0 * a / (root - b);
    }
    return c < 0.0 ? (b + root) / -c : 1e30;
}

// Meet a plane, on the way from before to p, which takes h seconds: true when the particle goes on
// from there and may meet something else, before then being where it struck and h what is left.
//
// Between before and p the acceleration is taken as constant. A bounce that is weaker than what the
// forces of one step press the particle on with is none: it stays on the surface, where Coulomb's
// friction holds it.
bool strike(
    inout Particle p, inout Particle before, inout float h, inout Contact contact, Plane plane) {
    vec3 n = plane.normal;
    Surface surface = contact.surface;
    float above = height_over(plane, before.position);
    bool on = above <= skin_at(before.position);
    bool lies = on && stuck(before, contact);
    contact.normal = n;
    contact.struck += lies && contact.last ? 0 : 1; // what lies is looked at twice
    if (lies) {
        p.position = before.position;
        p.velocity = vec3(0.0);
        contact.resting = true;
        return false;
    }
    vec3 force = (p.velocity - before.velocity) / h;
    vec3 velocity = before.velocity;
    bool touching = on && abs(dot(n, velocity)) <= 1e-4 * length(velocity);
    if (contact.bent && !touching) {
        // What has thrown it this way has not accelerated it: reckon from the end of the step.
        force += n * dot(n, contact.force - force);
        velocity += n * dot(n, p.velocity - h * force - velocity);
    }
    // What motions add to the path.
    vec3 drift = (p.position - before.position) / h - 0.5 * (p.velocity + velocity);
    float lift = dot(n, force);

    float t = 0.0;
    vec3 place = before.position;
    if (!touching) {
        t = clamp(fall_time(max(above, 0.0), dot(n, velocity + drift), lift), 0.0, h);
        place += t * (velocity + drift + 0.5 * t * force);
        place -= n * height_over(plane, place);
        velocity += t * force;
    }
    if (surface.answer != BOUNCE) {
        p.position = place;
        p.velocity = surface.answer == STICK ? vec3(0.0) : velocity;
        contact.resting = true;
        contact.lost = surface.answer == DIE ? FATAL : contact.lost;
        return false;
    }

    float speed = max(-dot(n, velocity), 0.0);
    float weak = max(-lift, 0.0) * contact.step;
    vec3 along = velocity - n * dot(n, velocity);
    // A graze that only rounding makes a hit is none.
    if (!touching && speed > max(weak, 1e-4 * length(velocity)) && !contact.last) {
        // What only grazes is held back by no more than it presses.
        float grip = coulomb(surface.friction) * (1.0 + surface.restitution) * speed;
        along *= 1.0 - min(surface.friction, grip / max(length(along), 1e-30));
        contact.lost += surface.loss * p.lifetime;
    }
    // What only a tilt of the normal could have turned aside has come down straight.
    if (length(along) <= max(1e-5 * weak, surface.tremble * (weak + length(velocity)))) {
        along = vec3(0.0);
    }
    float bounce = surface.restitution * speed;
    if (touching || bounce <= weak) {
        bounce = 0.0;
    }
    if (!touching) {
        // It may be on its way out from behind a surface that has moved over it.
        bounce = max(bounce, dot(n, velocity));
    }
    float rest = h - t;
    drift -= n * dot(n, drift);
    if (contact.last) {
        p.position = place;
        p.velocity = along + n * bounce;
        return false;
    }
    if (bounce > 0.0 || lift > 0.0) {
        velocity = along + n * bounce;
        p.velocity = velocity + rest * force;
        p.position = place + rest * (velocity + drift + 0.5 * rest * force);
    } else {
        vec3 pull = force - n * lift;
        float hold = surface.friction < 1.0 ? -lift * coulomb(surface.friction) : 1e30;
        velocity = along;
        float still = max(hold, -lift * surface.tremble);
        if (along == vec3(0.0) && length(pull) <= still - 1e-5 * lift) {
            p.position = place;
            p.velocity = vec3(0.0);
            contact.resting = true;
            return false;
        }
        vec3 pushed = along + rest * pull;
        float fast = length(pushed);
        float brake = hold * rest;
        bool stops = fast <= brake;
        p.velocity = stops ? vec3(0.0) : pushed * (1.0 - brake / fast);
        float moving = brake > fast ? fast / brake : 1.0;
        p.position = place + rest * (0.5 * moving * (along + p.velocity) + drift);
        contact.resting = contact.resting || stops;
    }
    p.position -= n * min(height_over(plane, p.position), 0.0);
    before.position = place;
    before.velocity = velocity;
    h = rest;
    return h > 1e-6;
}

// Put back what is behind the nearest surface after all: a surface that has moved, or too many of
// them. What is one unit behind goes by way, whose part along the normal is 1.
void keep_out(inout Particle p, inout Contact contact, Plane plane, vec3 way) {
    float above = height_over(plane, p.position);
    if (above >= 0.0) {
        return;
    }
    bool behind = above < -skin_at(p.position);
    contact.normal = behind ? plane.normal : contact.normal;
    if (contact.surface.answer == DIE && behind) {
        contact.lost = FATAL;
        return;
    }
    p.position -= way * above;
    // What rounding has left behind by the last bit comes before it.
    p.position -= 2.0 * way * min(height_over(plane, p.position), 0.0);
    p.velocity -= plane.normal * min(dot(plane.normal, p.velocity), 0.0);
    if (contact.surface.answer == STICK) {
        p.velocity = vec3(0.0);
    }
}

void keep_out(inout Particle p, inout Contact contact, Plane plane) {
    keep_out(p, contact, plane, plane.normal);
}

// Whether a plane is met on the way.
bool meets(Plane plane, Particle before, Particle p, Contact contact) {
    return height_over(plane, p.position) < (contact.last ? -skin_at(p.position) : 0.0)
        || (stuck(before, contact) && height_over(plane, before.position) <= skin_at(before.position));
}

// The axes of a box: right and up, the latter made perpendicular, and what completes them.
mat3 axes_of(vec3 right, vec3 up) {
    vec3 x = unit(right);
    vec3 z = unit(cross(x, up));
    return mat3(x, cross(z, x), z);
}
