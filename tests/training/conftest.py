from training_fixtures import config, instance, tasks  # noqa: F401
