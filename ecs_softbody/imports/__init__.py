from ecs_softbody.imports.pictures import picture, picture_parts
from ecs_softbody.imports.svg import svg
