"""Train a policy by GRPO; the ablation: -m reward=continuous,discrete."""

from openswerl.stage import app

main = app("grpo", "openswerl.grpo.run:run")

if __name__ == "__main__":
    main()
