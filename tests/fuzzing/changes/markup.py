"""Elements: those of a drawing, a tileset or a template in XML are changed,
and their attributes.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from tests.fuzzing.changes import odd
from tests.fuzzing.changes.odd import Written, shown

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
SPACES = {SVG: "", XLINK: "xlink:"}
MANY = 3000
LARGE = 5000
MOST_LETTERS = 10_000_000
"""Of the texts of a file: no door takes so many,
and the process that makes them has little memory.
"""
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def parsed(data: bytes) -> Element:
    """Return the root of a file that is right."""
    return ElementTree.fromstring(data)


def changed(root: Element, dice: random.Random, words: Sequence[str]) -> list[str]:
    """Change a tree in one to four places; return what was done.

    `words` are names of attributes and elements.
    """
    said = []
    for _ in range(dice.choice((1, 1, 1, 2, 3, 4))):
        every = list(root.iter())
        if len(every) > LARGE or (said and "deep in" in said[-1]):
            break  # Python copies no tree that is so large, or so deep
        one = dice.choice(every)
        if dice.random() < 0.7 and one.attrib:
            said.append(_attribute(one, every, dice, words))
        else:
            said.append(_element(one, every, dice, words))
    return said


def _attribute(
    one: Element, every: list[Element], dice: random.Random, words: Sequence[str]
) -> str:
    name = dice.choice(list(one.attrib))
    old = one.attrib[name]
    how = dice.random()
    numbers = list(NUMBER.finditer(old))
    if how < 0.45 and numbers:
        found = dice.choice(numbers)
        new = odd.number(dice, float(found[0]))
        one.attrib[name] = (
            old[: found.start()]
            + (new.text if isinstance(new, Written) else str(new))
            + old[found.end() :]
        )
    elif how < 0.60:
        one.attrib[name] = odd.text(dice, old)
    elif how < 0.68:
        part = old[dice.randrange(len(old) + 1) :][: dice.choice((3, 20, 400))]
        one.attrib[name] = old + (" " + part) * dice.choice((1, 10, MANY))
    elif how < 0.76:
        del one.attrib[name]
    elif how < 0.86:
        one.attrib[dice.choice(words)] = dice.choice(
            (old, odd.text(dice), str(dice.choice(odd.NUMBERS[:40])))
        )
    elif how < 0.93:
        other = dice.choice(every).attrib or one.attrib
        one.attrib[name] = other[dice.choice(list(other))]
    else:
        one.attrib[dice.choice(words)] = one.attrib.pop(name)
    return f"<{kind_of(one)}> {name}: {shown(old)} -> {shown(one.attrib.get(name, 'gone'))}"


def _element(one: Element, every: list[Element], dice: random.Random, words: Sequence[str]) -> str:
    how = dice.random()
    other = dice.choice(every)
    if how < 0.25 and len(one):
        gone = one[dice.randrange(len(one))]
        one.remove(gone)
        return f"<{kind_of(gone)}> is gone"
    if how < 0.5:
        other.append(copy.deepcopy(one))
        return f"<{kind_of(one)}> is in <{kind_of(other)}>, too"
    if how < 0.65:
        old = one.tag
        one.tag = dice.choice(
            (*(each.tag for each in every), f"{{{SVG}}}{dice.choice(words)}", dice.choice(words))
        )
        return f"<{old}> is <{one.tag}>"
    if how < 0.8:
        many = ((one.text or "a") * dice.choice((2, MANY)))[:MOST_LETTERS]
        one.text = dice.choice((odd.text(dice, one.text or ""), many))
        return f"<{kind_of(one)}>: text {shown(one.text)}"
    if how < 0.9:
        times = dice.choice((2, 20, 300))
        part = copy.deepcopy(one)
        letters = sum(
            len(each.text or "") + sum(map(len, each.attrib.values())) for each in one.iter()
        )
        times = min(times, max(1, MOST_LETTERS // max(letters, 1)))
        for _ in range(times):
            other.append(part)
        return f"<{kind_of(one)}> is {times} times in <{kind_of(other)}>"
    deep = dice.choice((5, 90, 200, 1500))
    inner = copy.deepcopy(one)
    for _ in range(deep):
        outer = Element(dice.choice((f"{{{SVG}}}g", one.tag)), {"transform": "scale(1.5)"})
        outer.append(inner)
        inner = outer
    other.append(inner)
    return f"<{kind_of(one)}> lies {deep} deep in <{kind_of(other)}>"


def kind_of(one: Element) -> str:
    return str(one.tag).rpartition("}")[2]


def xml_text(root: Element, dice: random.Random) -> bytes:
    """Return the tree as XML; letters that XML does not have stay in it."""
    head = dice.choice(
        (
            "",
            "",
            '<?xml version="1.0" encoding="UTF-8"?>\n',
            '<?xml version="1.0" encoding="utf-16"?>\n',
        )
    )
    if dice.random() < 0.03:
        head += dice.choice(
            (
                '<!DOCTYPE svg [<!ENTITY a "b">]>',
                '<!DOCTYPE svg SYSTEM "file:///etc/passwd">',
                "<!DOCTYPE svg>",
            )
        )
    parts: list[str] = [head]
    waiting: list[Element | str] = [root]  # no recursion: elements may lie very deep
    is_root = True
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
            continue
        tag = _name(one.tag)
        spaces = f' xmlns="{SVG}" xmlns:xlink="{XLINK}"' if is_root and SVG in str(one.tag) else ""
        is_root = False
        given = "".join(
            f' {_name(name)}="{escape(value, {chr(34): "&quot;"})}"'
            for name, value in one.attrib.items()
        )
        parts.append(f"<{tag}{spaces}{given}>{escape(one.text or '')}")
        waiting.append(f"</{tag}>{escape(one.tail or '')}")
        waiting.extend(reversed(one))
    return "".join(parts).encode("utf-8", "surrogatepass")


def _name(name: str) -> str:
    space, _, own = str(name).rpartition("}")
    return SPACES.get(space[1:], "") + own
