"""One module a reward; a new one is a new module here and a YAML in conf/reward/."""
