from ecs_softbody.imports.pictures import picture, picture_parts
