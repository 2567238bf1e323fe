"""Train a supervised baseline (sft=paper|gold)."""

from openswerl.stage import app

main = app("sft", "openswerl.sft.run:run")

if __name__ == "__main__":
    main()
