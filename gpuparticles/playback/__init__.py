"""When particles are born and how long they live: CPU only, and no GL."""
