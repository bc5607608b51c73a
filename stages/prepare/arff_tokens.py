"""The words of one ARFF line, cut as Weka's tokenizer cuts them."""

import re
from typing import NamedTuple

# Weka takes every control character as a blank, but not the blanks of Unicode.
PLAIN_WORD = r"[^\x00- ,{}'\"%]+"
_TOKEN = re.compile(
    r"(?P<blank>[\x00- ]*)(?:"
    rf"(?P<word>{PLAIN_WORD})"
    r"|(?P<mark>[,{}])"
    r"|'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)'"
    r"|\"(?P<double>[^\"\\]*(?:\\.[^\"\\]*)*)\")",
    re.DOTALL,
)
_END = re.compile(r"[\x00- ]*(?:%.*)?", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class Malformed(Exception):
    """Why a line cannot be read; the reader of the file adds path and line number."""


class Token(NamedTuple):
    """A word, a quoted word without its quotes, or one of the marks `,` `{` `}`."""

    text: str
    kind: str

    def is_mark(self, text: str) -> bool:
        """Whether this is the mark `text`, not a quoted word that looks like it."""
        return self.kind == "mark" and self.text == text


def tokenize(line: str) -> list[Token]:
    """Cut a line into tokens; a comment after them is left out."""
    tokens: list[Token] = []
    position = 0
    while match := _TOKEN.match(line, position):
        token = _token(match)
        joined = tokens and not match["blank"] and "mark" not in (token.kind, tokens[-1].kind)
        if joined:
            raise Malformed(
                f"found {shown(token.text)} right after {shown(tokens[-1].text)}, "
                "but a comma or a blank is needed between them (or quotes around the whole)"
            )
        tokens.append(token)
        position = match.end()
    if not _END.fullmatch(line, position):
        raise Malformed(f"found the open quote {shown(line[position:].lstrip())}, needs its end")
    return tokens


def listed(tokens: list[Token]) -> list[Token]:
    """The values of a list: a comma, blanks or both stand between two of them."""
    values: list[Token] = []
    comma = bool(tokens)
    for token in tokens:
        if token.is_mark(","):
            if comma:
                break
            comma = True
        elif token.kind == "mark":
            raise Malformed(f"found {token.text!r} among the values, needs quotes around it")
        else:
            values.append(token)
            comma = False
    if comma:
        raise Malformed(f"found nothing as value {len(values) + 1}, needs ? where one is missing")
    return values


def shown(text: str) -> str:
    """Text of the file for an error message: quoted, escaped and short."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _token(match: re.Match[str]) -> Token:
    kind = match.lastgroup or ""
    if kind in ("word", "mark"):
        return Token(match[kind], kind)
    return Token(_ESCAPE.sub(_unescaped, match[kind]), "quoted")


def _unescaped(match: re.Match[str]) -> str:
    text = match[1]
    return chr(int(text, 8)) if text in "01234567" or len(text) > 1 else _ESCAPED.get(text, text)
