"""Markup: parses the bytes of a drawing, in any encoding, with the entities of older programs."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.reading import DEEPEST as DEEPEST_ELEMENT
from ecs_softbody.imports.reading import (
    LARGEST_FILE,
    MOST_ATTRIBUTES,
    MOST_REMARKS,
    depth_of,
    shortened,
)
from ecs_softbody.reading import read_file

MOST_ELEMENTS = 5000
"""Limit of the elements of a drawing."""
MOST_ENTITIES = 1000
"""Limit of the entities that a drawing declares: their texts are counted ahead of the parser, since
they may contain each other.
"""
MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
"""How a file begins that needs no word for its encoding."""
DECLARATION = re.compile(r"\s*<\?xml\b([^>]{0,200})\?>")
"""The first line of a file in XML."""
ENCODING = re.compile(r"""encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
"""The word for the encoding in that line."""
KNOWN = re.compile(
    r"utf-?(8|16|32)|(us-)?ascii|ansi_x3\.4-19\d\d|iso[-_]?8859-?\d+|latin-?\d+"
    r"|(windows|cp|ibm)-?\d+|windows-31j"
    r"|koi8-?[ru]|macintosh|mac-?(roman|cyrillic|greek|turkish)|s(hift)?[-_]?jis"
    r"|euc[-_]?(jp|kr)|iso-2022-jp"
    r"|ks_c_5601-19\d\d|gbk?|gb[-_]?2312|gb18030|big5(-hkscs)?|tis-620",
    re.IGNORECASE,
)
"""Encodings of texts; Python knows others that take for ever, or are none."""
ENTITY = re.compile(r"""<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")
"""The declaration of an entity: a name for a text."""
REFERENCE = re.compile(r"&([A-Za-z_][\w.:-]*);")
"""The use of an entity."""
XLINK = "http://www.w3.org/1999/xlink"
"""Namespace of links, which files use without declaring it."""
UNDECLARED = 27
"""Error code of the XML parser: a prefix without a namespace."""
EMPTY = 3
"""Error code of the XML parser: no element."""
ENDED_WITHIN = 20
"""Error code of the XML parser: the end of the file within a CDATA section."""
WRONG = {
    EMPTY: "it ends before its first element",
    4: "a letter stands there that may not",
    5: "it ends within an element",
    7: "an element ends that was not begun; expected the end of the one before",
    8: "an attribute is said twice",
    ENDED_WITHIN: "it ends within a text",
    9: "something stands behind the last element",
    11: "an entity is used that the file does not declare",
}
"""Messages by error code of the XML parser."""


def root_of(path: Path, budget: Budget) -> ElementTree.Element:
    """Return the root of a drawing.

    Raises:
        ValueError: if it is none, or has more elements, deeper ones, or longer texts than are
            allowed.
    """
    text = _decoded(budget.owner, path)
    budget.spend("letters", len(text))
    # The check precedes the parser, which expands entities: a short file may become a huge one.
    _check_entities(budget, text)
    if text.count("<") > 2 * MOST_ELEMENTS + MOST_REMARKS or text.count("=") > MOST_ATTRIBUTES:
        raise Unreadable(
            f"{budget.owner} has more than {MOST_ELEMENTS} elements, or too many attributes"
        )
    root = _parsed(budget.owner, text)
    if depth_of(root) > DEEPEST_ELEMENT:
        raise Unreadable(
            f"{budget.owner} has elements that are nested too deeply; expected at most "
            f"{DEEPEST_ELEMENT}"
        )
    if local(root.tag) != "svg":
        raise Unreadable(
            f"{budget.owner} is no SVG: its first element is {shortened(local(root.tag))}"
        )
    if sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise Unreadable(f"{budget.owner} has more than {MOST_ELEMENTS} elements")
    return root


def local(tag: object) -> str:
    """Return the name of an element or an attribute without its namespace."""
    return str(tag).rpartition("}")[2]


def _decoded(owner: str, path: Path) -> str:
    """Return the text of a file, without its encoding declaration."""
    try:
        data = read_file(path, LARGEST_FILE)
    except ValueError as error:
        raise Unreadable(f"svg: the file {error}") from None
    if data.startswith(b"\x1f\x8b"):
        raise Unreadable(
            f"{owner} is packed (SVGZ); expected an SVG: unpack it, or save it as plain SVG"
        )
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "")
    if not encoding:
        said = ENCODING.search(data[:300].decode("latin-1"))
        encoding = said[1].lower().removeprefix("x-") if said else "utf-8"
        if encoding.startswith(("utf-16", "utf16", "utf-32", "utf32")):
            # The declaration was readable byte by byte, so its encoding is another one.
            encoding = "utf-8"
        if not KNOWN.fullmatch(encoding):
            raise Unreadable(
                f"{owner} says that its encoding is {encoding!r}, which is not known; save it as "
                "UTF-8"
            )
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise Unreadable(
            f"{owner} is no text in {encoding.upper()}; save it as UTF-8, or say its encoding "
            "in the first line"
        ) from None
    declared = DECLARATION.match(text)
    return text[declared.end() :] if declared else text


def _check_entities(budget: Budget, text: str) -> None:
    """Count the letters, elements and attributes of a file with its entities expanded.

    Recursive entities and entities that refer to other files are refused.
    """
    declared = text.upper().count("<!ENTITY")
    if not declared:
        return
    found = {one[1]: one[2] if one[2] is not None else one[3] for one in ENTITY.finditer(text)}
    if declared > MOST_ENTITIES or len(ENTITY.findall(text)) < declared:
        raise Unreadable(
            f"{budget.owner} declares entities that lead to other files, or too many; that is "
            "not allowed"
        )
    sizes: dict[str, tuple[int, int, int]] = {}

    def size(name: str, around: tuple[str, ...]) -> tuple[int, int, int]:
        """Return letters, elements and attributes of an entity."""
        if name in around or len(around) > 20:
            raise Unreadable(
                f"{budget.owner} has entities within entities, too deep or without an end"
            )
        if name not in sizes:
            value = found[name]
            total = [len(value), value.count("<"), value.count("=")]
            for inner in REFERENCE.findall(value):
                if inner in found:
                    total = [
                        own + more
                        for own, more in zip(total, size(inner, (*around, name)), strict=True)
                    ]
            sizes[name] = (total[0], total[1], total[2])
        return sizes[name]

    letters = len(text)
    elements = text.count("<")
    attributes = text.count("=")
    for one in REFERENCE.finditer(text):
        if one[1] in found:
            more = size(one[1], ())
            letters = letters + more[0]
            elements = elements + more[1]
            attributes = attributes + more[2]
            if (
                letters > LARGEST_FILE
                or elements > 2 * MOST_ELEMENTS + MOST_REMARKS
                or attributes > MOST_ATTRIBUTES
            ):
                raise Unreadable(f"{budget.owner} becomes too long by its entities")
    budget.spend("letters", letters)


def _parsed(owner: str, text: str) -> ElementTree.Element:
    try:
        return _tree(text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        code = getattr(error, "code", 0)
        (line, column) = getattr(error, "position", (1, 0))
        if code == UNDECLARED:
            try:
                return _tree(_with_prefixes(text))
            except (ElementTree.ParseError, ValueError, LookupError):
                pass
        where = f"in line {line}, letter {column + 1}"
        said = WRONG.get(code, "this is not as XML is written")
        if code == EMPTY and "<svg" in text:
            said = "it ends before its elements do"
        raise Unreadable(
            f"{owner} is no XML: {where}: {said}; save it anew with a drawing program"
        ) from None


def _tree(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def _with_prefixes(text: str) -> str:
    """Return a drawing with the prefixes declared that it uses: programs that cut drawings out of
    pages forget them.
    """
    used = set(re.findall(r"[\s</]([A-Za-z_][\w.-]{0,40}):[A-Za-z_]", text))
    missing = sorted(
        one for one in used if f"xmlns:{one}" not in text and one not in ("xml", "xmlns")
    )[:50]
    said = "".join(f' xmlns:{one}="{XLINK if one == "xlink" else one}"' for one in missing)
    return re.sub(r"<([\w.-]+:)?svg\b", lambda found: found[0] + said, text, count=1)
