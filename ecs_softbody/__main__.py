"""`python -m ecs_softbody` is the command `ecs-softbody`."""

import sys

from ecs_softbody.cli.main import main

sys.exit(main())
