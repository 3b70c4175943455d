"""What a list is searched for, as a pattern of LIKE: the text itself, its wildcards taken by their word."""

from __future__ import annotations

from backend.auth import errors


def exact(name: str, text: str) -> str:
    """The text itself. Raises AuthError validation_failed naming the parameter."""
    if "\x00" in text:
        raise errors.invalid(f"The parameter {name} contains a character that cannot be searched for")
    return text


def containing(name: str, text: str) -> str:
    """The pattern of what contains a text, '' for all. Raises AuthError validation_failed naming the parameter."""
    if not exact(name, text):
        return ""
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"
