"""Cascade: what attributes, style sheets and elements around it say of an element, the last word counting."""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Budget
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.words import words_of

INHERITED = words_of(
    "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit "
    "stroke-dasharray clip-rule visibility color font-size marker marker-start marker-mid marker-end"
)
OWN = words_of(
    "opacity display clip-path mask mask-image filter transform transform-origin transform-box overflow mix-blend-mode "
    "stop-color stop-opacity vector-effect rotate scale translate offset-path clip d"
)
"""Properties that elements inside do not take over."""
PRESENTATION = (INHERITED | OWN) - {"rotate", "scale", "translate", "offset-path", "d", "marker", "mask-image"}
"""Those that an attribute may say, too."""
LONGEST = 400
"""Letters of a value; what is longer is none that is read."""
MOST_RULES = 2000
"""Of one word; there are hardly ever so many."""
MOST_PARTS = 8
"""Of a selector, such as the two of `.tree path`."""
COMPOUND = re.compile(r"[#.]?[\w-]+|\*|\[[^\]]*\]|::?[\w-]+(?:\([^)]*\))?")
ATTRIBUTE = re.compile(r"""\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*["']?([^"'\]]*)["']?\s*)?\]""")
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\))?[^()]*))?\)")


class _Rule(NamedTuple):
    weight: tuple[int, int, int, int]
    parts: tuple[tuple[str, ...], ...]
    """The words of each part; the first word of a part is what joins it to the one before, a blank or >."""
    declared: dict[str, str]
    important: dict[str, str]


class Cascade:
    """The style of a drawing's elements.

    Args:
        root: of the drawing.
        budget: what it may take.
    """

    def __init__(self, root: ElementTree.Element, budget: Budget) -> None:
        self.budget = budget
        self.rules: dict[str, list[_Rule]] = {}
        self.unread: dict[str, None] = {}
        """Selectors that are not known."""
        self.declared: dict[ElementTree.Element, dict[str, str]] = {}
        self.above = {child: parent for parent in root.iter() for child in parent}
        order = 0
        for one in root.iter():
            if local(one.tag) == "style" and "css" in (one.get("type") or "text/css"):
                order = self._read("".join(one.itertext()), order)
        self._declare(root, [])

    def in_place(self, element: ElementTree.Element) -> dict[str, str]:
        """Return all that is said of an element where it stands in the file, such as of a clip path."""
        chain = [element]
        while chain[-1] in self.above:
            chain.append(self.above[chain[-1]])
        style: dict[str, str] = {}
        for one in reversed(chain):
            style = self.computed(one, style)
        return style

    def computed(self, element: ElementTree.Element, around: dict[str, str]) -> dict[str, str]:
        """Return all that is said of an element; `around` is what is said of the one that it is in."""
        found = {name: value for name, value in around.items() if name in INHERITED or name.startswith("--")}
        declared = self.declared[element]
        self.budget.spend("inherited attributes", len(found) + len(declared))
        for name, value in declared.items():
            if name.startswith("--"):
                found[name] = value
        for name, value in declared.items():
            said = _resolved(value, found)
            if said == "inherit":
                if name in around:
                    found[name] = around[name]
                else:
                    found.pop(name, None)
            elif said in ("initial", "revert", "unset"):
                found.pop(name, None)
                if said == "unset" and name in INHERITED and name in around:
                    found[name] = around[name]
            elif said:
                found[name] = said
        return found

    def _read(self, text: str, order: int) -> int:
        """Read a style sheet."""
        text = without_remarks(text)
        self.budget.spend("letters", len(text))
        place = 0
        while (start := text.find("{", place)) >= 0:
            selectors = text[place:start].rpartition(";")[2].strip()
            end = text.find("}", start)
            end = len(text) if end < 0 else end
            if selectors.startswith("@"):  # of other media, or of fonts
                end = _end_of_block(text, start)
            else:
                declared = declarations(text[start + 1 : end])
                for selector in dict.fromkeys(selectors.split(",")) if declared else ():
                    order += 1
                    self._add(selector.strip(), declared, order)
            place = end + 1
        return order

    def _add(self, selector: str, declared: dict[str, str], order: int) -> None:
        self.budget.spend("values", len(declared))
        parts: list[tuple[str, ...]] = []
        joint = " "
        for word in selector.replace(">", " > ").split()[: 4 * MOST_PARTS]:
            if word == ">":
                joint = ">"
                continue
            words = COMPOUND.findall(word)
            if "".join(words) != word or any(one.startswith(":") and not _is_known(one) for one in words):
                self.unread[selector[:60]] = None
                return
            parts.append((joint, *words))
            joint = " "
        if not parts or len(parts) > MOST_PARTS:
            return
        words = [word for _, *part in parts for word in part]
        weight = (
            sum(word[0] == "#" for word in words), sum(word[0] in ".[:" for word in words),
            sum(word[0] not in "#.[:*" for word in words), order,
        )  # fmt: skip
        last = parts[-1][1:]
        key = next((word for word in last if word[0] in "#."), next((w for w in last if w[0] not in "[:"), "*"))
        self.rules.setdefault(key, []).append(_Rule(weight, tuple(parts), *_by_weight(declared)))

    def _declare(
        self, element: ElementTree.Element, around: list[tuple[ElementTree.Element, int]], place: int = 0
    ) -> None:
        """Find what attributes, style sheets and its style say of an element and all in it."""
        chain = [*around, (element, place)]
        said: dict[str, str] = {}
        for name, value in element.attrib.items():
            if name in PRESENTATION and len(value) <= (LONGEST if name != "transform" else 2000):
                said[name] = value.strip()
        rules = sorted(self._rules_for(element, chain), key=lambda rule: rule.weight)
        self.budget.spend("values", sum(len(rule.declared) + len(rule.important) for rule in rules))
        declared, important = _by_weight(declarations(element.get("style", "")))
        for one in (*(rule.declared for rule in rules), declared, *(rule.important for rule in rules), important):
            said |= one
        self.declared[element] = said
        for number, child in enumerate(element):
            self._declare(child, chain, number)

    def _rules_for(self, element: ElementTree.Element, chain: list[tuple[ElementTree.Element, int]]) -> list[_Rule]:
        if not self.rules:
            return []
        keys = [f".{word}" for word in dict.fromkeys((element.get("class") or "").split())]
        keys += [f"#{element.get('id')}", local(element.tag), "*"]
        found = []
        for key in keys:
            rules = self.rules.get(key, ())
            self.budget.spend("rules", sum(len(rule.parts) for rule in rules[:MOST_RULES]))
            for rule in rules[:MOST_RULES]:
                if rule.parts == ((" ", key),) or _fits(rule.parts, chain):
                    found.append(rule)
        return found


def without_remarks(text: str) -> str:
    """Return a style sheet without what is between /* and */."""
    first, *others = text.split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)


def declarations(text: str) -> dict[str, str]:
    """Return what "name: value; ..." declares; a name that is important begins with !."""
    found: dict[str, str] = {}
    for one in without_remarks(text).split(";"):
        name, _, value = one.partition(":")
        name, value = name.strip(), value.strip()
        if not value or len(value) > LONGEST:
            continue
        if value.lower().endswith("important") and "!" in value:
            found[f"!{name if name.startswith('--') else name.lower()}"] = value.rpartition("!")[0].strip()
        else:
            found[name if name.startswith("--") else name.lower()] = value
    return found


def _by_weight(declared: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what is declared, and what is as important."""
    plain = {name: value for name, value in declared.items() if not name.startswith("!")}
    return plain, {name[1:]: value for name, value in declared.items() if name.startswith("!")}


def _end_of_block(text: str, start: int) -> int:
    depth = 0
    for found in re.finditer(r"[{}]", text[start:]):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return start + found.start()
    return len(text)


def _is_known(pseudo: str) -> bool:
    return pseudo in (":first-child", ":root")


def _fits(parts: tuple[tuple[str, ...], ...], chain: list[tuple[ElementTree.Element, int]]) -> bool:
    """Return whether an element, the last one of a chain from the root, is what a selector says."""
    places = {len(chain) - 1} if _is(parts[-1][1:], chain, len(chain) - 1) else set()
    for number in range(len(parts) - 2, -1, -1):
        if not places:
            return False
        above = {place - 1 for place in places if place} if parts[number + 1][0] == ">" else set(range(max(places)))
        places = {place for place in above if _is(parts[number][1:], chain, place)}
    return bool(places)


def _is(words: tuple[str, ...], chain: list[tuple[ElementTree.Element, int]], place: int) -> bool:
    element, number = chain[place]
    for word in words:
        if word[0] == "#":
            fits = element.get("id") == word[1:]
        elif word[0] == ".":
            fits = word[1:] in (element.get("class") or "").split()
        elif word[0] == "[":
            fits = _has(element, word)
        elif word[0] == ":":
            fits = place == 0 if word == ":root" else number == 0 and place > 0
        else:
            fits = word in ("*", local(element.tag))
        if not fits:
            return False
    return True


def _has(element: ElementTree.Element, word: str) -> bool:
    found = ATTRIBUTE.fullmatch(word)
    value = element.get(found[1]) if found else None
    if found is None or value is None:
        return False
    sign, wanted = found[2], found[3] or ""
    tests: dict[Any, bool] = {
        None: True, "=": value == wanted, "~=": wanted in value.split(), "^=": value.startswith(wanted),
        "$=": value.endswith(wanted), "*=": wanted in value, "|=": value == wanted or value.startswith(f"{wanted}-"),
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
