"""`python -m ecs_softbody.cli` is the command `ecs-softbody`."""

import sys

from ecs_softbody.cli.main import main

sys.exit(main())
