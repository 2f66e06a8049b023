// Numbers that an author's own code draws: the same in a look and in a process.
#pragma gpuparticles include lib/random.glsl

const uint CHANNEL_OWN = 131072u;
