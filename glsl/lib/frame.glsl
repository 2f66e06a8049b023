// A particle as it is seen from a frame that lies at a place and is turned, and from outside of it.

Particle into(vec3 place, vec4 around, Particle p) {
    p.position = turn_back(around, p.position - place);
    p.velocity = turn_back(around, p.velocity);
    return p;
}

Particle out_of(vec3 place, vec4 around, Particle p) {
    p.position = place + turn(around, p.position);
    p.velocity = turn(around, p.velocity);
    return p;
}
