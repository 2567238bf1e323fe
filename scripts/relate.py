"""Add relevant unchanged files and write training instances."""

from openswerl.stage import app

main = app("relate", "openswerl.relate.run:run")

if __name__ == "__main__":
    main()
