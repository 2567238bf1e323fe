"""Judge one policy (policy=base|sft|sft-gold|grpo-<reward>) on the out-of-domain suites of Table 3."""

from openswerl.stage import app

main = app("ood", "openswerl.ood.run:run")

if __name__ == "__main__":
    main()
