"""Read hour files of GH Archive into Parquet, downloading them first if data.source=gharchive."""

from openswerl.stage import app

main = app("archive", "openswerl.archive.run:run")

if __name__ == "__main__":
    main()
