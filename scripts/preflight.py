"""Look at a handful of samples before training: rollout=local, rollout=openai; preflight.trial=100 trains a little."""

from openswerl.stage import app

main = app("preflight", "openswerl.preflight.run:run")

if __name__ == "__main__":
    main()
