"""A small terminal: what a person would see of what was written to it."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator

_PARTS = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|\x1b([78D])|([^\x1b])", re.DOTALL)


class Screen:
    """Understands what Paramedic, tqdm and the like send. Lines that scroll away are kept."""

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self.columns, self.height = columns, lines
        self._rows: list[list[str]] = [[]]
        self._top = 0  # the row at the top of the screen
        self._row = self._column = 0
        self._saved = (0, 0)
        self.pictures: list[str] = []  # the screen after each piece of text

    def feed(self, text: str) -> None:
        position = 0
        while position < len(text):
            match = _PARTS.match(text, position)
            assert match is not None, text[position : position + 20]
            position = match.end()
            number, command, plain, character = match.groups()
            if character is not None:
                self._character(character)
            elif plain is not None:
                self._plain(plain)
            else:
                self._command(int((number or "0").split(";")[0] or 0), command)

    def _character(self, character: str) -> None:
        if character == "\n":  # a terminal in its usual mode returns, too
            self._down()
            self._column = 0
        elif character == "\r":
            self._column = 0
        else:
            if self._column >= self.columns:
                self._down()
                self._column = 0
            row = self._rows[self._row]
            row.extend(" " * (self._column + 1 - len(row)))
            row[self._column] = character
            self._column += 1

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])
        self._top = max(self._top, self._row - self.height + 1)

    def _plain(self, command: str) -> None:
        if command == "7":
            self._saved = (self._row - self._top, self._column)
        elif command == "8":
            self._row, self._column = self._saved[0] + self._top, self._saved[1]
        else:
            self._down()

    def _command(self, number: int, command: str) -> None:
        if command == "A":
            self._row = max(self._row - max(number, 1), self._top)
        elif command == "B":
            self._row = min(self._row + max(number, 1), self._top + self.height - 1)
            self._rows.extend([] for _ in range(self._row + 1 - len(self._rows)))
        elif command == "K":
            start = 0 if number == 2 else self._column
            del self._rows[self._row][start:]
        elif command == "J":
            del self._rows[self._row][self._column :]
            for row in self._rows[self._row + 1 :]:
                row.clear()
        else:
            assert command in "mhl", command

    @property
    def lines(self) -> list[str]:
        """All rows, those that have scrolled away included, without empty ones at the end."""
        rows = ["".join(row).rstrip() for row in self._rows]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def cursor(self) -> tuple[int, int]:
        return self._row, self._column


class Tty(io.TextIOWrapper):
    """A terminal that is only imagined; what is written to it is drawn at once."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.screen = screen
        self.raw = ""

    def write(self, text: str) -> int:
        self.raw += text
        self.screen.feed(text)
        return len(text)

    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def on_terminal(screen: Screen) -> Iterator[Tty]:
    """Standard output and error go to this screen."""
    terminal = Tty(screen)
    with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(terminal):
        yield terminal
