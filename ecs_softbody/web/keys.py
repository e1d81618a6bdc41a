"""Keys: maps browsers' key codes to the key names of games."""

from __future__ import annotations

NAMES = {
    "ArrowLeft": "left", "ArrowRight": "right", "ArrowUp": "up", "ArrowDown": "down",
    "Space": "space", "Enter": "enter", "NumpadEnter": "enter", "Escape": "escape", "Tab": "tab",
    "Backspace": "backspace", "Delete": "delete", "ShiftLeft": "shift", "ShiftRight": "shift",
    "ControlLeft": "ctrl", "ControlRight": "ctrl", "Comma": "comma", "Period": "period",
    "Slash": "slash", "Equal": "plus", "NumpadAdd": "plus", "Minus": "minus",
    "NumpadSubtract": "minus", "NumpadDecimal": "period", "NumpadDivide": "slash",
    **{f"Key{letter}": letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{f"{block}{digit}": digit for block in ("Digit", "Numpad") for digit in "0123456789"},
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}  # fmt: skip
"""`KeyboardEvent.code`, the place of a key, -> the name of the key there on an American
keyboard.
"""
SIGNS = {"+": "plus", "=": "plus", "-": "minus", ",": "comma", ".": "period", "/": "slash"}
"""`KeyboardEvent.key` of keys whose place differs between keyboards; letters and digits are their
own names.
"""


def key_name(code: str, sign: str) -> str:
    """Return the name of a key, "" for a key unused by games.

    Args:
        code: the physical key.
        sign: the character it types, used if it is a letter, a digit or a named mark.
    """
    written = sign.lower()
    if code.startswith("Key") and len(written) == 1 and written.isascii() and written.isalnum():
        return written
    return SIGNS.get(sign, "") or NAMES.get(code, "")
