"""Answer a part of the benchmark with one policy (part=<i>-of-<n>); evaluate.py with parts=<n> counts the answers."""

from openswerl.stage import app

main = app("answer", "openswerl.answer.run:run")

if __name__ == "__main__":
    main()
