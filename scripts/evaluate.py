"""Evaluate one policy (policy=base|sft|sft-gold|grpo-<reward>|gold|none)."""

from openswerl.stage import app

main = app("evaluate", "openswerl.evaluate.run:run")

if __name__ == "__main__":
    main()
