// Lose speed in proportion to it: velocity *= exp(-rate * h). Never below 0, where it would drive.
float modify_drag(Particle p, float rate) {
    return max(rate, 0.0);
}
