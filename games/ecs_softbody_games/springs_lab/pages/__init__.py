"""Pages of the springs lab, in the order in which one meets them."""

from ecs_softbody_games.springs_lab.page import Page
from ecs_softbody_games.springs_lab.pages.angles import RestAngles, TwoSprings
from ecs_softbody_games.springs_lab.pages.balls import BallsInABox, Density
from ecs_softbody_games.springs_lab.pages.bodies import Breath, Gas, Jelly
from ecs_softbody_games.springs_lab.pages.chains import HangingRope, Modes, Rod, String
from ecs_softbody_games.springs_lab.pages.contacts import Bounce, Floating, Slope
from ecs_softbody_games.springs_lab.pages.one_step import OneStep
from ecs_softbody_games.springs_lab.pages.pairs import Circling, TwoBodies
from ecs_softbody_games.springs_lab.pages.ropes import Capstan, Cloth
from ecs_softbody_games.springs_lab.pages.solvers import LoadedRope, ThreeSolvers
from ecs_softbody_games.springs_lab.pages.springs import Damping, MassOnASpring
from ecs_softbody_games.springs_lab.pages.strings import Catenary, Muscle
from ecs_softbody_games.springs_lab.pages.swings import Fall, Pendulum

PAGES: tuple[type[Page], ...] = (
    MassOnASpring, Damping, Circling, TwoBodies, Pendulum, TwoSprings, RestAngles, Rod, Muscle,
    HangingRope, Catenary, Modes, String, Gas, Breath, Jelly, Density, Bounce, BallsInABox, Slope,
    Floating, Fall, Capstan, Cloth, OneStep, ThreeSolvers, LoadedRope,
)  # fmt: skip
"""All pages."""

__all__ = ["PAGES"]
