"""Crawl pull requests from archive hours and clones."""

from openswerl.stage import app

main = app("crawl", "openswerl.crawl.run:run")

if __name__ == "__main__":
    main()
