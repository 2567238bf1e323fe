"""Curate the pull requests into RL seeds."""

from openswerl.stage import app

main = app("curate", "openswerl.curate.run:run")

if __name__ == "__main__":
    main()
