"""Write the tables, figures and the page."""

from openswerl.stage import app

main = app("report", "openswerl.report.run:run")

if __name__ == "__main__":
    main()
