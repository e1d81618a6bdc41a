"""Words: the names of elements and properties that are read or harmless, and notes on the others,
once each.
"""

from __future__ import annotations

from collections.abc import Iterable

from ecs_softbody.imports.options import ALIKE
from ecs_softbody.imports.reading import shortened
from ecs_softbody.validation import did_you_mean

MOST_NOTES = 40
"""Of a drawing; more would not be read."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


DRAWN = words_of(
    "svg g a switch use symbol defs path rect circle ellipse line polyline polygon "
    "clipPath linearGradient "
    "radialGradient stop style"
)
"""Elements that are read."""
NOTED = {
    "text": "text is left out; make paths of it",
    "image": "pictures in it are left out",
    "foreignObject": "what is no SVG in it is left out",
    "flowRoot": "text is left out; make paths of it",
    "script": "scripts in it are not run",
}
"""Unsupported elements that a renderer draws or that change the picture, and their notes."""
ANIMATED = words_of("animate animateTransform animateMotion set")
"""Elements of animations."""
STILL = "it does not move: animations are left out"
"""Note on animations."""
SILENT = words_of(
    "title desc metadata marker mask pattern filter mpath view cursor tspan textPath "
    "tref font font-face glyph "
    "missing-glyph hkern vkern color-profile solidColor solidcolor meshgradient mesh "
    "hatch hatchpath discard "
    "animateColor altGlyphDef glyphRef flowRegion flowPara flowSpan flowDiv namedview link"
)
"""Elements that show nothing by themselves."""
READ = words_of(
    "id class style d points x y width height r rx ry cx cy x1 y1 x2 y2 viewBox "
    "preserveAspectRatio href "
    "clipPathUnits offset systemLanguage requiredExtensions"
)
"""Attributes that are read, besides properties."""
HARMLESS = words_of(
    "version baseProfile lang tabindex tabIndex startOffset textLength lengthAdjust "
    "dx dy method spacing side src "
    "unicode-range page-break-inside page-break-before page-break-after orphans "
    "widows display-align cx cy r rx ry "
    "x y width height points focusable role type media title name contentScriptType "
    "contentStyleType "
    "zoomAndPan externalResourcesRequired requiredFeatures requiredFormats "
    "requiredFonts pathLength gradientUnits "
    "gradientTransform spreadMethod fx fy fr patternUnits patternTransform "
    "patternContentUnits maskUnits "
    "maskContentUnits filterUnits primitiveUnits filterRes markerWidth markerHeight "
    "markerUnits refX refY orient "
    "enable-background color-interpolation color-interpolation-filters "
    "color-rendering shape-rendering text-rendering "
    "image-rendering pointer-events cursor target rel download hreflang ping "
    "referrerpolicy fill-color xmlns "
    "paint-order stroke-dashoffset isolation will-change border margin padding position "
    "left top right bottom float box-sizing max-width max-height min-width "
    "min-height direction unicode-bidi "
    "dominant-baseline alignment-baseline baseline-shift kerning letter-spacing "
    "word-spacing text-anchor "
    "text-decoration text-align text-indent text-transform line-height white-space "
    "writing-mode font font-family "
    "font-style font-variant font-weight font-stretch font-size-adjust "
    "font-feature-settings font-kerning "
    "solid-color solid-opacity flood-color flood-opacity lighting-color "
    "block-progression shape-inside shape-padding "
    "shape-margin inline-size glyph-orientation-vertical "
    "glyph-orientation-horizontal text-orientation "
    "text-overflow text-rendering color-profile color-adjust print-color-adjust "
    "nodetypes sizes zoom z-index "
    "mask-type mask-mode mask-composite mask-clip mask-origin mask-position "
    "mask-repeat mask-size mask-border "
    "user-select touch-action perspective perspective-origin backface-visibility "
    "line-break text-size-adjust "
    "transition transition-property transition-duration clip-path-units "
    "vertical-align object-fit gradient-units "
    "font-variant-ligatures font-variant-position font-variant-caps "
    "font-variant-numeric font-variant-alternates "
    "font-variant-east-asian font-variation-settings font-optical-sizing "
    "font-palette text-decoration-line "
    "text-decoration-style text-decoration-color text-underline-position "
    "text-decoration-thickness content "
    "color-scheme background "
)
"""Attributes and properties that do not change which place a shape covers."""
MATTER = {
    "rotate": "the property rotate is not read; use transform",
    "scale": "the property scale is not read; use transform",
    "translate": "the property translate is not read; use transform",
    "offset-path": "the property offset-path is not read",
    "clip": "the property clip is not read; use clip-path",
    "animation": STILL,
    "animation-name": STILL,
}
"""Unsupported properties that move or hide shapes, and their notes."""


class Notes:
    """Notes on a drawing, each once, with the number of its occurrences."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.words: dict[tuple[str, str], str] = {}
        self.strange: set[tuple[str, object]] = set()
        """Attributes of other programs, with values that are not allowed."""

    def add(self, said: str) -> None:
        """Add a note, or count it once more."""
        self.counts[said] = self.counts.get(said, 0) + 1

    def unknown(self, what: str, word: str, known: Iterable[str], prefix: str = "") -> None:
        """Note an unknown word, with the closest known word as a hint."""
        key = (what, word)
        if key not in self.words and len(self.words) == MOST_NOTES:
            # The search for similar words is slow, so their number is limited.
            self.add("other words are not known")
            return
        if key not in self.words:
            hint = did_you_mean(word, known, alike=ALIKE, prefix=prefix)
            said = f"the {what} {shortened(prefix + word)[1:-1]} is not known"
            self.words[key] = f"{said}{hint or ', and left out'}"
        self.add(self.words[key])

    def lines(self) -> list[str]:
        """Return the notes as lines."""
        found = [
            said if count == 1 else f"{said} ({count} times)" for said, count in self.counts.items()
        ]
        if len(found) > MOST_NOTES:
            found[MOST_NOTES - 1 :] = [f"and {len(found) - MOST_NOTES + 1} more of this kind"]
        return found
