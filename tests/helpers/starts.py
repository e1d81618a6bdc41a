"""From how many shifted starts the slow tests play a level: three, and ten where `ECS_SOFTBODY_STARTS=10` says so."""

import os

STARTS = int(os.environ.get("ECS_SOFTBODY_STARTS", "3"))
