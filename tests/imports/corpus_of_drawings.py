"""A corpus of drawings: one for each trait that programs write, with the area that is seen and what
is noted.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">'
)
SQUARE = '<path d="M20 20h40v40h-40z"/>'
UNSEEN = "what is not painted is left out"
WORDS = {
    "CUT": '<rect x="20" y="20" width="40" height="40" clip-path="url(#c)"/>', "SQUARE": SQUARE,
    "HALF": '<rect width="40" height="100"/>', "FRAME": '<path fill="none" d="M0 0h100v100H0z"/>',
    "DASHES": "4 " * 300,
    "PENCIL": "M10 50" + "".join((f"L{10 + n * 0.8:.2f} "
        f"{50 + 30 * math.sin(0.35 * n):.2f}") for n in range(1, 100)),
}  # fmt: skip
CALLS = {
    "ALL": '<rect x="5" y="5" width="90" height="90" {}/>',
    "BOX": '<rect x="20" y="20" width="40" height="40" {}/>',
    "LINE": '<path d="M20 50H80" stroke="#123" stroke-width="10" fill="none" {}/>',
    "BEND": '<polyline points="20,80 20,20 80,20" stroke="#123" stroke-width="10" fill="none" {}/>',
    "SHARP": '<polyline points="10,20 60,25 10,30" stroke="#123" stroke-width="4" fill="none" {}/>',
    "CSS": "<style>{}</style>", "CLIP": '<clipPath id="c" {}>', "DEFS": "<defs>{}</defs>",
    "PAGE": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" {}>',
}  # fmt: skip
"""Words of the tables below, and what they stand for; {} is what is in the brackets behind them."""
UNPAINTED = """
no fill, no stroke | ALL(fill="none")
none between blanks | ALL(fill=" none ")
stroke none | ALL(fill="none" stroke="none")
none by style | ALL(style="fill:none")
none behind a remark | ALL(style="/* rule 1 */ fill:none")
none by class | CSS(.a{fill:none}) ALL(class="a")
none by an element's name | CSS(rect{fill:none}) ALL()
none by an id | CSS(#a{fill:none}) ALL(id="a" fill="red")
none inherited | <g fill="none">ALL()</g>
none by inherit | <g fill="none">ALL(fill="inherit")</g>
transparent | ALL(fill="transparent")
rgba of no opacity | ALL(fill="rgba(9,9,9,0)")
hsla of no opacity | ALL(fill="hsla(90, 50%, 50%, 0)")
eight digits | ALL(fill="#11223300")
four digits | ALL(fill="#1230")
opacity | ALL(opacity="0")
opacity of a group | <g opacity="0">ALL()</g>
opacity in percent | ALL(style="opacity:0%")
fill-opacity | ALL(fill-opacity="0")
stroke-opacity | ALL(fill="none" stroke="red" stroke-opacity="0")
display | ALL(display="none")
display of a group | <g style="display:none">ALL()</g>
visibility | ALL(visibility="hidden")
collapsed | ALL(style="visibility:collapse")
visibility of a group | <g visibility="hidden">ALL()</g>
the clear paint of its use | DEFS(ALL(id="r" fill="context-stroke"))<use href="#r" fill="red"/>
clear currentColor | <g color="transparent">ALL(fill="currentColor")</g>
an absent gradient | ALL(fill="url(#none)")
a frame | FRAME
a stroke without width | ALL(fill="none" stroke="red" stroke-width="0")
important | CSS(rect{fill:none!important}) ALL(style="fill:red")
a child's style | CSS(g > rect{fill:none}) <g>ALL()</g>
a grandchild's style | CSS(.a rect{fill:none}) <g class="a"><g>ALL()</g></g>
by an attribute | CSS([width="90"]{fill:none}) ALL()
a clear gradient | <linearGradient id="l"><stop stop-opacity="0"/></linearGradient> ALL(fill="url(#l)")
none, with a large letter | ALL(style="display:None")
hidden, with a large letter | ALL(style="visibility: Hidden")
the last child | CSS(rect:last-child{fill:none}) <g>ALL()</g>
the second child | CSS(rect:nth-child(2n){fill:none}) <g><g/>ALL()</g>
all but a class | CSS(rect:not(.a, .b){fill:none}) ALL(class="c")
the one behind | CSS(g + rect{fill:none}) <g/>ALL()
all behind | CSS(g~rect{fill:none}) <g/><g/>ALL()
for screens | CSS(@media screen{rect{fill:none}}) ALL()
a gradient without a box | <linearGradient id="l"><stop/><stop offset="1" stop-color="red"/></linearGradient>
    LINE(style="stroke:url(#l)")
"""
"""What shows nothing but SQUARE, which is added: trait | markup."""
PAINTED = """
a square | 1600 | SQUARE
visible in what is hidden | 1600 | <g visibility="hidden">BOX(visibility="visible")</g>
the later rule | 1600 | CSS(rect{fill:none} rect{fill:red}) BOX()
an id before a class | 1600 | CSS(#a{fill:red} .b{fill:none}) BOX(id="a" class="b")
remarks and media | 1600 | CSS(/* rect{fill:none} */@media print{rect{fill:none}}) BOX()
currentColor | 1600 | BOX(fill="currentColor" color="#123")
a colour with a profile | 1600 | BOX(fill="#cd853f icc-color(a, 1)")
a profile of wider colours | 1600 | BOX(style="fill:#D9D9D9;fill:color(display-p3 0.85 0.85 0.85)")
a colour that is not seen by night | 1600 |
    <path d="M20 20h40v40h-40z" style="fill:light-dark(rgb(1, 2, 3), rgb(29, 41, 59))"/>
a stop of wider colours | 1600 | <linearGradient id="l">
    <stop style="stop-color:#f00;stop-color:color(display-p3 1 0 0)"/></linearGradient>BOX(fill="url(#l)")
not the first | 1600 | CSS(rect:nth-child(3){fill:none} g > rect:not(.a){fill:none}) BOX(class="a")
under the mouse | 1600 | CSS(rect:hover{fill:none} rect::before{fill:none}) BOX()
a rule behind a slip | 1600 | CSS(rect{fill:red};.a{fill:none}) BOX(class="a")
behind an import | 1600 | CSS(@import "a.css";@charset "x"; .a{fill:red}) BOX(fill="none" class="a")
a width that is inherited | 1200 | <g stroke-width="20" stroke="red"><path d="M20 50H80" stroke-width="inherit"/></g>
a line of a gradient on the page | 600 | <linearGradient id="l" gradientUnits="userSpaceOnUse">
    <stop/></linearGradient>LINE(style="stroke:url(#l)")
dashes that are none | 600 | LINE(stroke-dasharray="null")
a circle of a style | 1256.64 | CSS(circle{r:20px;cx:50px;cy:50px}) <circle/>
a path of a style | 1600 | <path style="d:path('M20 20H60V60H20Z')"/>
braces in quotes | 1600 | CSS(text{content:"}{";color:red} .a{fill:red}) BOX(class="a")
behind a label | 1600 | CSS(.label{background-color:red} svg{color-scheme:dark;background:transparent}) BOX()
a fallback | 1600 | BOX(fill="url(#none) red")
the paint of its use | 1600 |
    DEFS(BOX(id="r" fill="context-fill"))<use href="#r" fill="red"/>
a fallback of a line without a box | 600 |
    <linearGradient id="l"><stop/></linearGradient>LINE(style="stroke:url(#l) red")
half clear | 1600 | BOX(opacity="0.5")
an open path is filled | 1600 | <path d="M20 20h40v40h-40"/>
an even-odd hole | 5600 | <path fill-rule="evenodd" d="M0 0H90V90H0Z M20 20H70V70H20Z"/>
rounded | 1256.64 | BOX(rx="20")
a radius that is said once | 1256.64 | <ellipse cx="50" cy="50" rx="20" ry="auto"/>
an element of another program | 1600 | <x:view xmlns:x="urn:x"><x:rect width="90" height="90"/></x:view>SQUARE
a smooth square curve behind a cubic one | - | <path d="M10 50C10 10 50 10 50 50T80 50T50 90H10z"/>
a smooth cubic curve behind a square one | - | <path d="M10 50Q30 0 50 50S90 10 90 50s-9 9 -9 30H10z"/>
smooth curves that take turns | - | <path d="m10 50q20 -50 40 0t10 0s20 -40 30 0t-1e1 30l-60 0z"/>
rings in rings | 3600 | <path d="M0 0H90V90H0Z M10 10V80H80V10Z M20 20H60V30H20Z"/>
a path without d | 1600 | <path/>SQUARE
an empty path | 1600 | <path d=""/>SQUARE
a path that breaks off | 1600 | <path d="M20 20h40v40h-40z#L9 9"/>
a path that ends too soon | 1600 | <path d="M20 20h40v40h-40z A"/>
a switch | 1600 | <switch><g requiredExtensions="x">ALL()</g><g>SQUARE</g></switch>
what is not shown by itself | 0 | DEFS(SQUARE)<symbol>SQUARE</symbol><pattern id="p">SQUARE</pattern>
a symbol | 400 | <symbol id="s" viewBox="0 0 100 100">SQUARE</symbol><use href="#s" width="50" height="50"/>
a use that has the paint | 1600 | DEFS(BOX(id="r"))<use xlink:href="#r" fill="red"/>
"""
"""What is as large as a renderer has it: trait | area | markup."""
STROKES = """
a line | 600 | LINE()
square caps | 700 | LINE(stroke-linecap="square")
round caps | 678.54 | LINE(stroke-linecap="round")
a ring, no block | 640 | BOX(fill="none" stroke="red" stroke-width="4")
fill and stroke | 1936 | BOX(fill="blue" stroke="red" stroke-width="4")
a clear fill with a stroke | 640 | BOX(fill="transparent" stroke="red" stroke-width="4")
miter | 1200 | BEND()
bevel | 1187.5 | BEND(stroke-linejoin="bevel")
round join | 1194.63 | BEND(stroke-linejoin="round")
a miter within its limit | 1200 | BEND(stroke-miterlimit="1.5")
a miter beyond its limit | 1187.5 | BEND(stroke-miterlimit="1")
a sharp miter | - | SHARP(stroke-miterlimit="20")
a sharp corner cut off | - | SHARP()
a width in millimetres | 453.54 | LINE(style="stroke-width:2mm")
a width in percent | 600 | LINE(style="stroke-width:10%")
a scaled stroke | 150 | <g transform="scale(.5)">LINE()</g>
scaled one way | 300 | <g transform="scale(1 .5)">LINE()</g>
a dot | 314.16 | <path d="M50 50h0" stroke="red" stroke-width="20" stroke-linecap="round"/>
a square dot | 400 | <path d="M50 50h0" stroke="red" stroke-width="20" stroke-linecap="square"/>
no dot | 0 | <path d="M50 50h0" stroke="red" stroke-width="20"/>
a width by a class | 1200 | CSS(.a{stroke:red;stroke-width:20px}) <path class="a" d="M20 50H80"/>
the stroke of a circle | 1256.64 | <circle cx="50" cy="50" r="20" fill="none" stroke="red" stroke-width="10"/>
lines that cross | - | <path d="M20 20L80 80M80 20L20 80" fill="none" stroke="red" stroke-width="10"/>
an open line that comes back | - | <path d="M20 20H80L50 60L20 20" fill="none" stroke="red" stroke-width="4"/>
a pencil's line | - | <path fill="none" stroke="red" stroke-width="6" d="PENCIL"/>
a pencil's round line | - | <path fill="none" stroke="red" stroke-width="6" stroke-linejoin="round" d="PENCIL"/>
"""
CLIPS = """
a clip path | 800 | CLIP()HALF</clipPath>CUT
by style | 800 | CLIP()HALF</clipPath>BOX(style="clip-path:url(#c)")
by class | 800 | CSS(.a{clip-path:url('#c')}) CLIP()HALF</clipPath>BOX(class="a")
of a group | 800 | CLIP()HALF</clipPath><g clip-path="url(#c)">SQUARE</g>
of the box | 800 | CLIP(clipPathUnits="objectBoundingBox")<rect width=".5" height="1"/></clipPath>CUT
moved | 1200 | CLIP(transform="translate(10)")HALF</clipPath>CUT
a clip rule | 800 | CLIP()<path clip-rule="evenodd" d="M0 0H90V90H0ZM20 20H40V60H20Z"/></clipPath>CUT
of a clip path | 400 | <clipPath id="d"><rect width="100" height="40"/></clipPath>
    CLIP(clip-path="url(#d)")HALF</clipPath>CUT
by use | 800 | DEFS(<rect id="h" width="40" height="100"/>)CLIP()<use href="#h"/></clipPath>CUT
of a use that is moved | 1600 | DEFS(<rect id="h" width="90" height="90"/>)
    CLIP()<rect width="40" height="40"/></clipPath><use href="#h" x="20" y="30" clip-path="url(#c)"/>
of a use in a clip path | 400 | <clipPath id="d"><rect width="20" height="20"/></clipPath>
    DEFS(<rect id="h" width="90" height="90"/>)CLIP()<use href="#h" x="20" y="20" clip-path="url(#d)"/></clipPath>CUT
percent of the page, in boxes | 400 |
    CLIP(clipPathUnits="objectBoundingBox")<rect width=".5%" height=".5%"/></clipPath>CUT
without a shape | 0 | CLIP()</clipPath>CUT
two shapes | 1200 | CLIP()HALF<rect x="50" width="50" height="100"/></clipPath>CUT
a clear one still cuts | 800 | CLIP()<rect width="40" height="90" opacity="0"/></clipPath>CUT
hidden in it | 0 | CLIP()<rect width="40" height="90" visibility="hidden"/></clipPath>CUT
of a stroke | 200 | CLIP()HALF</clipPath>LINE(clip-path="url(#c)")
a drawing in the drawing | 100 | <svg x="20" y="20" width="20" height="20"><rect x="10" y="10" width="40"
    height="40"/></svg>
one that shows all | 1600 | <svg width="30" height="30" overflow="visible">SQUARE</svg>
one that is sliced | 900 | <svg width="30" height="60" viewBox="0 0 30 30" preserveAspectRatio="xMidYMid slice">
    <rect x="7.5" width="15" height="15"/></svg>
"""
MOVED = """
transform-origin | 400 | BOX(transform="scale(.5)" transform-origin="40 40")
by style, in percent | 400 | BOX(style="transform:scale(.5);transform-origin:50% 50%")
in words | 1600 | BOX(style="transform:rotate(.125turn);transform-origin:center")
of CSS | 800 | BOX(style="transform:translate(10px,16px) scaleX(.5)")
in em and percent | 1600 | <rect x="1em" y="10%" width="50%" height="2em"/>
em of a font's short form | 1600 |
    <g style="font:10px serif"><rect x="1em" y="1em" width="4em" height="4em"/></g>
em of its own font | 1600 | <rect font-size="10" x="1em" y="1em" width="4em" height="4em"/>
in points | 1600 | <rect x="15pt" y="15pt" width="30pt" height="30pt"/>
without a blank | 1600 | BOX(transform="translate(30-10)")
a matrix without blanks | 1600 | BOX(transform="matrix(1 0 0-1 0 90)")
points without blanks | 400 | BOX(transform="translate(.5.5)scale(.5.5)rotate(1 .5.5)")
the page turned | 1600 | PAGE(style="transform:rotate(180deg)")SQUARE</svg>
the page moved | 1600 | PAGE(style="transform:translate(20px)")SQUARE</svg>
flat | 0 | BOX(transform="scale(0)")
a page in em | 1600 | PAGE(width="1em" height="1em")SQUARE</svg>
a page in percent | 1600 | PAGE(width="100%" height="100%")SQUARE</svg>
"""
NOTED = """
a variable | 1600 | what is not painted | CSS(:root{--a:none}) ALL(fill="var(--a)")SQUARE
dashes | 600 | dashes are drawn through | LINE(stroke-dasharray="4 4")
an absent clip path | 1600 | a clip path that is none | BOX(clip-path="url(#none)")
a basic shape | 1600 | a clip path that is none | BOX(style="clip-path:circle(10px)")
a mask | 1600 | masks do not cut | <mask id="m">HALF</mask>BOX(mask="url(#m)")
a filter | 1600 | filters are left out | <filter id="f"/>BOX(filter="url(#f)")
a pattern | 1600 | patterns are filled | <pattern id="p" width="9" height="9">HALF</pattern>BOX(fill="url(#p)")
a gradient | 1600 | gradients become |
    <linearGradient id="l"><stop stop-color="red"/><stop offset="1"/></linearGradient>BOX(fill="url(#l)")
beyond the page | 800 | what lies beyond the page | <rect x="80" y="20" width="40" height="40"/>
a word of Illustrator | 1600 | the attribute data-name is not known | BOX(data-name="Layer 1")
a slip | 1600 | the attribute data-fricton is not known (did you mean data-friction?) | BOX(data-fricton="2")
another slip | 1600 | the attribute fil is not known (did you mean fill?) | BOX(fil="none")
a slip in a style | 1600 | the property opacty is not known (did you mean opacity?) | BOX(style="opacty:0")
no option of this | 1600 | data-density is no option of ground | BOX(data-density="2")
the colour of the page | 1600 | the background of the page | CSS(svg{background-color:red}) BOX()
an element | 1600 | the element rectangle is not known | <rectangle/>SQUARE
an unpainted body | 1600 | hero is not painted, so it is no blob | BOX(fill="none" class="blob" id="hero")SQUARE
a closed rope | 0 | a is closed, so it is no rope | BOX(class="rope" id="a")
text | 1600 | text is left out | <text>Hi</text>SQUARE
a picture | 1600 | pictures in it are left out | <image width="9" height="9"/>SQUARE
a use of another file | 1600 | `use` of what is not in the file | <use href="other.svg#a"/>SQUARE
text in a switch | 1600 | text is left out | <switch><text>Hi</text></switch>SQUARE
an animation | 1600 | it does not move |
    <rect x="20" y="20" width="40" height="40"><animate attributeName="x" from="0" to="80" dur="2s"/></rect>
a colour that nobody knows | 1600 | the colour bogus is not known | BOX(fill="bogus")
none is no colour | 1600 | the colour none is not known | BOX(color="none" fill="currentColor")
a colour before one of a later year | 1600 | the colour oklch | BOX(style="fill:#f00;fill:oklch(0.6 0.2 20)")
a selector of a later year | 1600 | rules of style sheets for rect:nth-last-of-type(2)
    | CSS(rect:nth-last-of-type(2){fill:none}) BOX()
rules in rules | 1600 | rules of style sheets for what is within g | CSS(g{fill:red; rect{fill:none}}) BOX()
other media | 1600 | rules of style sheets for @media | CSS(@media (min-width: 9px){rect{fill:none}}) BOX()
long dashes | 600 | dashes are drawn through | LINE(stroke-dasharray="DASHES")
a share of the window | 1600 | the length 9vw is not read | <rect width="9vw" height="9"/>SQUARE
a sum | 1600 | the length calc | <rect width="calc(9px + 1%)" height="9"/>SQUARE
a sum for a stroke | 60 | the length calc | <path d="M20 50H80" stroke="red" style="stroke-width:calc(5px * 2)"/>
a share of the window for a stroke | 60 | the length 5vw | <path d="M20 50H80" stroke="red" stroke-width="5vw"/>
a comma for a point | 60 | the length 0,5 | <path d="M20 50H80" stroke="red" stroke-width="0,5"/>
a unit behind a blank | 60 | the length 9 px | <path d="M20 50H80" stroke="red" stroke-width="9 px"/>
a width before | 600 | the length 5vw | <path d="M20 50H80" stroke="red" style="stroke-width:10;stroke-width:5vw"/>
a sum of opacity | 1600 | the opacity calc | BOX(style="opacity:calc(1 - 1)")
an opacity with a comma | 1600 | the opacity 0,0 | BOX(fill-opacity="0,0")
a style of another program | 1600 | data-style is left out: 'dark' is none of its values | BOX(data-style="dark")
a category of another program | 1600 | data-category is left out: 'UI' | BOX(data-category="UI")
a radius of another program | 1600 | data-radius is left out: '5px' | BOX(data-radius="5px" data-friction="2")
a mask of another program | 1600 | data-mask is left out: 'm1' | <g data-mask="m1">SQUARE</g>
a colour of another program | 1600 | data-fill is left out: 'primary' | BOX(data-fill="primary")
a picture of another program | 1600 | data-picture is left out: 'a.png' | BOX(data-picture="a.png")
tiles of another program | 1600 | data-tile is left out: 'x' | BOX(data-tile="x")
a marker | 600 | markers of lines are left out | LINE(marker-end="url(#m)")
another language | 1600 | what is in another language | <g systemLanguage="fr">ALL()</g>SQUARE
a blend mode | 1600 | blend modes are left out | BOX(style="mix-blend-mode:multiply")
dashes in millimetres | 600 | dashes are drawn through | LINE(style="stroke-dasharray:2mm 1mm")
dashes in em | 600 | dashes are drawn through | LINE(stroke-dasharray="1em")
a sum of dashes | 600 | dashes are drawn through | LINE(style="stroke-dasharray:calc(1px + 2px)")
a selector of any case | 1600 | rules of style sheets for [fill="RED" i]
    | CSS([fill="RED" i]{fill:none}) BOX(fill="red")
a selector of a namespace | 1600 | rules of style sheets for [*|fill] | CSS([*|fill]{fill:none}) BOX(fill="red")
a turn that is none | 1600 | the transform rotate is not known | BOX(transform="rotate(45 50)")
far away | 1600 | what is farther away | <path d="M0 0L1e300 0L0 1e300z"/>SQUARE
"""
"""What a renderer may see otherwise: trait | area | how the note begins | markup."""


ALONE = (
    "of CSS", "none, with a large letter", "hidden, with a large letter", "the last child",
    "the second child", "all but a class", "all behind", "for screens",
    "a colour that is not seen by night", "a circle of a style", "a path of a style",
)  # fmt: skip
"""Traits that the renderer of the tests does not know."""


class Row(NamedTuple):
    """One drawing."""

    trait: str
    area: float | None
    """That is seen [px²], where it is easily said."""
    note: str
    """How the only note begins, or nothing."""
    text: str
    """Of the file."""


def rows() -> list[Row]:
    """Return all drawings."""
    found = []
    for table in (UNPAINTED, PAINTED, STROKES, CLIPS, MOVED, NOTED):
        for line in table.strip().replace("\n    ", " ").split("\n"):
            trait, *said, markup = [one.strip() for one in line.split(" | ")]
            if table is UNPAINTED:
                found.append(Row(trait, 1600.0, UNSEEN, _whole(f"{markup} SQUARE")))
            else:
                area = None if said[0] == "-" else float(said[0])
                found.append(Row(trait, area, said[1] if len(said) > 1 else "", _whole(markup)))
    return found


def _whole(markup: str) -> str:
    """Return the file that a row of a table stands for."""
    for _ in range(3):
        for word, meant in CALLS.items():
            inside = rf"\b{word}\(((?:[^()]|\([^()]*\))*)\)"
            markup = re.sub(
                inside, lambda found, meant=meant: meant.replace("{}", found[1]), markup
            )
    for word, meant in WORDS.items():
        markup = re.sub(rf"\b{word}\b", meant, markup)
    return markup if markup.startswith("<svg xmlns") else f"{HEAD}{markup}</svg>"


ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" '
    '"http://www.w3.org/svg.dtd" '
    '[<!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY st0 "fill:none"><!ENTITY '
    'both "&st0;;opacity:1">]>'
    '<svg xmlns="&ns;" viewBox="0 0 100 100"><rect width="90" height="90" '
    f'style="&both;"/>{SQUARE}</svg>'
)
PLAIN = f'{HEAD}<g id="Größe">{SQUARE}</g></svg>'
FILES: dict[str, bytes] = {
    "entities": ENTITIES.encode(),
    "utf-8 with a mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "utf-16": f'<?xml version="1.0" encoding="UTF-16"?>{PLAIN}'.encode("utf-16"),
    "utf-16 without a mark": PLAIN.encode("utf-16-le"),
    "latin-1": f'<?xml version="1.0" encoding="iso-8859-1"?>{PLAIN}'.encode("latin-1"),
    "windows": f"<?xml version='1.0' encoding='Windows-1252'?>{PLAIN}".encode("cp1252"),
    "japanese": f'<?xml version="1.0" encoding="Shift_JIS"?>{PLAIN.replace("Größe", "山")}'.encode(
        "shift_jis"
    ),
    "japanese by its old name": (
        f'<?xml version="1.0" encoding="x-sjis"?>{PLAIN.replace("Größe", "山")}'
    ).encode("sjis"),
    "macintosh": f'<?xml version="1.0" encoding="macintosh"?>{PLAIN}'.encode("mac-roman"),
    "says utf-16, and is utf-8": f'<?xml version="1.0" encoding="utf-16"?>{PLAIN}'.encode(),
    "cut out of a page": PLAIN.replace(' xmlns="http://www.w3.org/2000/svg"', "").encode(),
    "a prefix that nobody declares": PLAIN.replace("<g ", '<g inkscape:label="Layer" ').encode(),
}
"""Files as bytes, each of the same square."""
REFUSED: dict[str, tuple[bytes, str]] = {
    "packed": (b"\x1f\x8b\x08\0", r"is packed \(SVGZ\)"),
    "no text": (PLAIN.encode("latin-1"), "is no text in UTF-8; save it as UTF-8"),
    "an encoding that is none": (
        b'<?xml version="1.0" encoding="rot13"?><svg/>',
        "its encoding is 'rot13', which is not",
    ),
    "an end too many": (
        b"<svg>\n<g></svg>",
        "is no XML: in line 2, letter .*: an element ends that was not begun",
    ),
    "no drawing": (b"<html/>", "is no SVG: its first element is 'html'"),
    "empty": (b"", "it ends before its first element"),
    "cut off": (PLAIN.replace("</g></svg>", "").encode(), "it ends before its elements do"),
    "cut off in a style": (
        PLAIN.replace("<g", "<style>.a{").partition(".a")[0].encode(),
        "before its elements do",
    ),
    "cut off in CDATA": (
        PLAIN.replace("<g", "<style><![CDATA[.a{<g").partition(" id")[0].encode(),
        "within a text",
    ),
    "a page beyond measure": (
        PLAIN.replace("0 0 100 100", "0 0 1e308 100").encode(),
        "its page is 1e.308 x 100 px; expected sides",
    ),
    "a page of no height": (
        PLAIN.replace("0 0 100 100", "0 0 100 1e-300").encode(),
        "its page is 100 x 1e-300 px",
    ),
    "a bad value": (
        _whole('BOX(class="body" id="a" data-density="heavy")').encode(),
        r"svg, a: .*density: 'heavy' is not",
    ),
    "a bad colour": (
        _whole('BOX(class="ground" data-fill="no colour")').encode(),
        "the colour 'no colour' is not allowed",
    ),
}
"""Files that are refused, and how."""
