"""Generate the laptop world."""

from openswerl.stage import app

main = app("laptop", "openswerl.laptop.run:run")

if __name__ == "__main__":
    main()
