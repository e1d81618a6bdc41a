"""Cascade: computes an element's style from its attributes, style sheets and ancestors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.measures import is_length, is_paint, is_share
from ecs_softbody.imports.drawings.words import words_of

INHERITED = words_of(
    "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap "
    "stroke-linejoin stroke-miterlimit "
    "stroke-dasharray clip-rule visibility color font-size marker marker-start "
    "marker-mid marker-end"
)
"""Properties that elements inside take over."""
GEOMETRY = words_of("d x y width height r rx ry cx cy")
"""Properties that say where a shape is and how large."""
OWN = GEOMETRY | words_of(
    "opacity display clip-path mask mask-image filter transform transform-origin "
    "transform-box overflow "
    "mix-blend-mode stop-color stop-opacity vector-effect rotate scale translate offset-path clip"
)
"""Properties that elements inside do not take over."""
PRESENTATION = (
    (INHERITED | OWN)
    - GEOMETRY
    - {"rotate", "scale", "translate", "offset-path", "marker", "mask-image"}
)
"""Properties that may also be given as attributes."""
PAINTS = ("fill", "stroke", "color", "stop-color")
"""Properties whose values are paints; others are ignored."""
SHARES = ("opacity", "fill-opacity", "stroke-opacity", "stop-opacity")
"""Properties whose values are opacities, 0 to 1."""
WORDS = words_of(
    "display visibility fill-rule clip-rule stroke-linecap stroke-linejoin overflow "
    "mix-blend-mode vector-effect"
)
"""Properties whose values are words, in small or large letters."""
LONGEST = 400
"""Maximum length of a value [characters]; longer values are ignored."""
LONG = dict.fromkeys(("transform", "stroke-dasharray", "d"), 2000)
"""More than LONGEST, of these."""
MOST_RULES = 2000
"""Maximum number of rules per key (class, id or tag name)."""
MOST_PARTS = 8
"""Of a selector, such as the two of `.tree path`."""
COMPOUND = re.compile(r"[#.]?[\w-]+|\*|\[[^\]]*\]|::?[\w-]+(?:\([^()]*\))?")
"""A simple selector: class, id, tag, attribute or pseudo-class."""
JOINED = re.compile(rf"\s*([>+~])\s*|(\s+)|((?:{COMPOUND.pattern})+)")
"""A combinator of a selector, or a compound selector."""
SELECTOR = re.compile(r"(?:[^,()]|\([^()]*\))+")
"""One of several selectors with commas between them."""
KNOWN = re.compile(r":(?:root|(?:first|last|only)-child|nth-child\((.*)\)|(not|is|where)\((.*)\))")
"""Pseudo-classes that are read."""
NTH = re.compile(r"([-+]?\d*)n(?:\s*([-+])\s*(\d+))?|([-+]?\d+)")
"""The argument of `:nth-child`."""
PASSING = re.compile(r"::|:(?:hover|active|focus[\w-]*|visited|target|before|after)\b")
"""Pseudo-elements and interactive states, which never match in a still drawing."""
MEDIA = re.compile(
    r"@media\s*(?:(?:only\s+)?(?:screen|all)|\(prefers-color-scheme:\s*light\)|and|\s)+",
    re.IGNORECASE,
)
"""Conditions of a style sheet that hold for a picture on a screen."""
OTHER_MEDIA = re.compile(
    r"@media\b.*(?:print|prefers-color-scheme:\s*dark)|@(?:font-face|[\w-]*keyframes)",
    re.IGNORECASE,
)
"""Blocks of a style sheet that are left out without a note."""
QUOTED = re.compile(r""""[^"\n]*"|'[^'\n]*'""")
"""A text of a style sheet; braces and semicolons in it are no marks."""
MARKED = re.compile(r"""/\*|["']""")
"""Where a remark or a text begins."""
BRACE = re.compile(r"[{}]")
"""Where a block begins or ends."""
ALONE = re.compile(r"\s*(?:@[^;]*;\s*)*")
"""Rules without a block, such as @import."""
ATTRIBUTE = re.compile(r"""\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*["']?([^"'\]]*)["']?\s*)?\]""")
"""A selector of attributes, such as `[fill=red]`."""
FONT_SIZE = re.compile(r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:%|[a-z]+))(?=\s|/)")
"""In `font: bold 12px/1.5 serif`."""
CONTEXT = ("context-fill", "context-stroke")
"""The paints of the `use` that shows a shape; they are handed down as variables are."""
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\))?[^()]*))?\)")
"""The use of a variable, with its fallback."""


READING = 10
"""Values that a rule of a style sheet counts as, besides its own: to read one takes 12 µs."""


class _Rule(NamedTuple):
    weight: tuple[int, int, int, int]
    parts: tuple[tuple[str, ...], ...]
    """The words of each compound selector, after the combinator before it: a blank, >, + or ~."""
    declared: dict[str, str]
    important: dict[str, str]


class Cascade:
    """The style of a drawing's elements.

    Args:
        root: of the drawing.
        budget: for the costs of computing styles.
    """

    def __init__(self, root: ElementTree.Element, budget: Budget) -> None:
        self.budget = budget
        self.rules: dict[str, list[_Rule]] = {}
        self.unread: dict[str, None] = {}
        """Selectors, and other rules, that are not read."""
        self.declared: dict[ElementTree.Element, dict[str, str]] = {}
        self.places = {
            child: (parent, number) for parent in root.iter() for number, child in enumerate(parent)
        }
        order = 0
        for one in root.iter():
            if local(one.tag) == "style" and "css" in (one.get("type") or "text/css"):
                order = self._read(without_remarks("".join(one.itertext())), order)
        for one in root.iter():
            self.declared[one] = self._declared(one)

    def in_place(self, element: ElementTree.Element) -> dict[str, str]:
        """Return the computed style of an element at its place in the file."""
        chain = [element]
        while chain[-1] in self.places:
            chain.append(self.places[chain[-1]][0])
        style: dict[str, str] = {}
        for one in reversed(chain):
            style = self.computed(one, style)
        return style

    def computed(self, element: ElementTree.Element, around: dict[str, str]) -> dict[str, str]:
        """Return the computed style of an element; `around` is the style of its parent."""
        found = {
            name: value
            for name, value in around.items()
            if name in INHERITED or name.startswith("--")
        }
        declared = self.declared[element]
        self.budget.spend("inherited attributes", len(found) + len(declared))
        # Variables come first: other values of the same element may use them.
        for name, value in declared.items():
            if name.startswith("--"):
                found[name] = value
        for name, value in declared.items():
            said = _resolved(value, found)
            if said.lower() in CONTEXT:
                said = found.get(f"--{said.lower()}", "none")
            word = said.lower()
            if not _fits_in(name, said):
                word = "unset"
            if word == "unset":
                word = "inherit" if name in INHERITED else "initial"
            if word == "inherit" and name in around:
                found[name] = around[name]
            elif word in ("inherit", "initial", "revert", "revert-layer"):
                found.pop(name, None)
            elif said:
                found[name] = word if name in WORDS else said
        return found

    def _read(self, text: str, order: int) -> int:
        """Read a style sheet."""
        self.budget.spend("letters", len(text))
        place = 0
        while (start := text.find("{", place)) >= 0:
            selectors = text[ALONE.match(text, place, start).end() : start].strip()  # type: ignore[union-attr]
            end = _end_of_block(text, start)
            inside = text[start + 1 : end]
            medium = " ".join(selectors[:LONGEST].split())
            if MEDIA.fullmatch(medium):
                order = self._read(inside, order)
            elif selectors.startswith("@"):  # of other media, or of fonts
                if not OTHER_MEDIA.match(medium):
                    self._leave_out(medium)
            else:
                order = self._read_rule(selectors, inside, order)
            place = end + 1
        return order

    def _read_rule(self, selectors: str, inside: str, order: int) -> int:
        if "{" in inside:
            self._leave_out(f"what is within {selectors[:LONGEST]}")
            inside = f"{inside.partition('{')[0].rpartition(';')[0]};{inside.rpartition('}')[2]}"
        declared = declarations(inside)
        if ";" in selectors:
            # A mistake follows the block before; browsers ignore the rule.
            return order
        for selector in dict.fromkeys(SELECTOR.findall(selectors)) if declared else ():
            order += 1
            if selector.strip() and not PASSING.search(selector):
                self._add(selector.strip(), declared, order)
        return order

    def _leave_out(self, rule: str) -> None:
        """Keep the name of a rule that is not read."""
        self.unread[" ".join(rule.split())[:60]] = None

    def _add(self, selector: str, declared: dict[str, str], order: int) -> None:
        self.budget.spend("values", READING + len(declared))
        parts = _parts_of(selector)
        if parts is None:
            self._leave_out(selector[:LONGEST])
            return
        words = [word for _, *part in parts for word in part]
        weight = (
            sum(word[0] == "#" for word in words), sum(word[0] in ".[:" for word in words),
            sum(word[0] not in "#.[:*" for word in words), order,
        )  # fmt: skip
        last = parts[-1][1:]
        key = next(
            (word for word in last if word[0] in "#."),
            next((w for w in last if w[0] not in "[:"), "*"),
        )
        self.rules.setdefault(key, []).append(_Rule(weight, parts, *_by_weight(declared)))

    def _declared(self, element: ElementTree.Element) -> dict[str, str]:
        """Return the declarations of an element from its attributes, style sheets and `style`."""
        said: dict[str, str] = {}
        for name, value in element.attrib.items():
            if name in PRESENTATION and counts(name, value):
                said[name] = value.strip()
        rules = sorted(self._rules_for(element), key=lambda rule: rule.weight)
        self.budget.spend("values", sum(len(rule.declared) + len(rule.important) for rule in rules))
        # Later ones win, as in CSS: rules by weight, then `style`, then important ones alike.
        declared, important = _by_weight(declarations(element.get("style", "")))
        for one in (
            *(rule.declared for rule in rules),
            declared,
            *(rule.important for rule in rules),
            important,
        ):
            said |= one
        return said

    def _rules_for(self, element: ElementTree.Element) -> list[_Rule]:
        if not self.rules:
            return []
        keys = [f".{word}" for word in dict.fromkeys((element.get("class") or "").split())]
        keys += [f"#{element.get('id')}", local(element.tag), "*"]
        found = []
        for key in keys:
            rules = self.rules.get(key, ())
            self.budget.spend("rules", sum(len(rule.parts) for rule in rules[:MOST_RULES]))
            for rule in rules[:MOST_RULES]:
                # Most selectors are a single word, which is the key already.
                if rule.parts == ((" ", key),) or self._fits(rule.parts, element):
                    found.append(rule)
        return found

    def _fits(self, parts: tuple[tuple[str, ...], ...], element: ElementTree.Element) -> bool:
        """Return whether an element matches a selector."""
        found = [element] if self._is(parts[-1][1:], element) else []
        for number in range(len(parts) - 2, -1, -1):
            near = dict.fromkeys(
                one for each in found for one in self._before(each, parts[number + 1][0])
            )
            found = [one for one in near if self._is(parts[number][1:], one)]
        return bool(found)

    def _before(self, element: ElementTree.Element, joint: str) -> list[ElementTree.Element]:
        """Return the elements that may match to the left of a combinator."""
        if element not in self.places:
            return []
        parent, number = self.places[element]
        if joint == ">":
            return [parent]
        if joint in "+~":
            first = max(number - 1, 0) if joint == "+" else 0
            self.budget.spend("rules", number - first)
            return parent[first:number]
        above = [parent]
        while above[-1] in self.places:
            above.append(self.places[above[-1]][0])
        return above

    def _is(self, words: tuple[str, ...], element: ElementTree.Element) -> bool:
        for word in words:
            if word[0] == "#":
                fits = element.get("id") == word[1:]
            elif word[0] == ".":
                fits = word[1:] in (element.get("class") or "").split()
            elif word[0] == "[":
                fits = _has(element, word)
            elif word[0] == ":":
                fits = self._is_where(word, element)
            else:
                fits = word in ("*", local(element.tag))
            if not fits:
                return False
        return True

    def _is_where(self, pseudo: str, element: ElementTree.Element) -> bool:
        """Return whether an element matches a pseudo-class, such as :first-child or :not()."""
        said = KNOWN.fullmatch(pseudo)
        if said is not None and said[2]:
            self.budget.spend("rules", said[3].count(",") + 1)
            named = any(
                self._is(tuple(COMPOUND.findall(one)), element) for one in said[3].split(",")
            )
            return named != (said[2] == "not")
        if element not in self.places:
            return pseudo == ":root"
        parent, number = self.places[element]
        if said is not None and said[1]:
            return _is_nth(said[1].strip(), number + 1)
        ends = {
            ":first-child": number == 0,
            ":last-child": number == len(parent) - 1,
            ":only-child": len(parent) == 1,
        }
        return ends.get(pseudo, False)


def without_remarks(text: str) -> str:
    """Return a style sheet without comments and without quoted characters that end rules."""
    if not MARKED.search(text):
        return text
    first, *others = text.split("/*")
    plain = first + "".join(other.partition("*/")[2] for other in others)
    return QUOTED.sub(lambda found: re.sub("[{};]", "", found[0]), plain)


def declarations(text: str) -> dict[str, str]:
    """Return the valid declarations of "name: value; ..."; names of important ones begin with !."""
    return {key: value for key, value in written(text) if counts(key.lstrip("!"), value)}


def written(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name and value of "name: value; ..."; a name that is important begins with !."""
    for one in without_remarks(text).split(";"):
        name, _, value = one.partition(":")
        name = name.strip()
        value = value.strip()
        name = name if name.startswith("--") else name.lower()
        if value.lower().endswith("important") and "!" in value:
            yield f"!{name}", value.rpartition("!")[0].strip()
        elif value:
            yield name, value
            if name == "font" and (size := FONT_SIZE.search(value)):
                yield "font-size", size[1]


def counts(name: str, value: str) -> bool:
    """Return whether a value is valid; if not, an earlier one remains in force, as in browsers."""
    return bool(value) and len(value) <= LONG.get(name, LONGEST) and _fits_in(name, value)


def _fits_in(name: str, value: str) -> bool:
    """Return whether a value is a paint, an opacity or a width where a property wants one."""
    if name in PAINTS:
        return is_paint(value) and (name in PAINTS[:2] or value.lower() != "none")
    if name in SHARES:
        return is_share(value)
    return name != "stroke-width" or is_length(value)


def _by_weight(declared: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the normal and the important declarations."""
    plain = {name: value for name, value in declared.items() if not name.startswith("!")}
    return plain, {name[1:]: value for name, value in declared.items() if name.startswith("!")}


def _end_of_block(text: str, start: int) -> int:
    depth = 0
    for found in BRACE.finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(text)


@lru_cache(maxsize=4096)
def _parts_of(selector: str) -> tuple[tuple[str, ...], ...] | None:
    """Return the compound selectors of a selector, each after its combinator; None if not
    supported.
    """
    parts: list[tuple[str, ...]] = []
    joint = " "
    place = 0
    while found := JOINED.match(selector, place):
        place = found.end()
        if not found[3]:
            joint = found[1] or " "
            continue
        words = COMPOUND.findall(found[3])
        if not all(_is_read(one) for one in words):
            return None
        parts.append((joint, *words))
    return tuple(parts) if place == len(selector) and 0 < len(parts) <= MOST_PARTS else None


def _is_read(word: str) -> bool:
    """Return whether a word of a selector is supported."""
    if word[0] == "[":
        return ATTRIBUTE.fullmatch(word) is not None
    if word[0] != ":":
        return True
    found = KNOWN.fullmatch(word)
    if found is None or (
        found[1] and not (found[1].strip() in ("odd", "even") or NTH.fullmatch(found[1].strip()))
    ):
        return False
    named = [one.strip() for one in found[3].split(",")] if found[2] else []
    return all("".join(COMPOUND.findall(one)) == one and one and ":" not in one for one in named)


def _is_nth(said: str, place: int) -> bool:
    """Return whether a position, from 1, matches `odd`, `even`, a number or a formula (`2n +
    1`).
    """
    if said in ("odd", "even"):
        return place % 2 == (said == "odd")
    found = NTH.fullmatch(said)
    if found is None:
        return False
    if found[4]:
        return place == int(found[4])
    step = int(found[1] + "1" if found[1] in ("", "+", "-") else found[1])
    more = place - int(f"{found[2] or '+'}{found[3] or 0}")
    return more == 0 if step == 0 else more % step == 0 and more // step >= 0


def _has(element: ElementTree.Element, word: str) -> bool:
    found = ATTRIBUTE.fullmatch(word)
    value = element.get(found[1]) if found else None
    if found is None or value is None:
        return False
    sign = found[2]
    wanted = found[3] or ""
    tests: dict[Any, bool] = {
        None: True, "=": value == wanted, "~=": wanted in value.split(),
        "^=": value.startswith(wanted), "$=": value.endswith(wanted), "*=": wanted in value,
        "|=": value == wanted or value.startswith(f"{wanted}-"),
    }  # fmt: skip
    return tests[sign]


def _resolved(value: str, found: dict[str, str]) -> str:
    """Return a value with its variables replaced; nothing where one has no value."""
    for _ in range(4):
        one = VARIABLE.search(value)
        if not one:
            return value
        said = found.get(one[1], one[2])
        if said is None:
            return ""
        value = (value[: one.start()] + said + value[one.end() :]).strip()[:LONGEST]
    return ""
