"""What the tests here share: overrides for a small engine, and the laptop's prompts."""

import random

from openswerl.laptop.tasks import make_repair
from openswerl.models.prompts import repair_prompt

SMALL = ("rollout.engine.eager=true", "rollout.engine.gpu_memory=0.1")
PROMPTS = [repair_prompt(make_repair(random.Random(number)).task, "compact") for number in range(3)]
