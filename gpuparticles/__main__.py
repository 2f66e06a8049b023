"""``python -m gpuparticles``."""

from gpuparticles.cli import main

if __name__ == "__main__":
    main()
