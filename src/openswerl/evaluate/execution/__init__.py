"""Trees, patches on them, and what came of running their tests."""
