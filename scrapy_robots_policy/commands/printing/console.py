"""Whether a terminal reads escape sequences: colours and the line of progress need them."""

from __future__ import annotations

import sys
from typing import TextIO

if sys.platform == "win32":
    from ctypes import byref, windll
    from ctypes.wintypes import DWORD, HANDLE
    from msvcrt import get_osfhandle

    _ENABLE_VIRTUAL_TERMINAL_PROCESSING = 0x0004

    def reads_escapes(stream: TextIO) -> bool:
        """The console of Windows reads them only after a program has set this mode. One before
        Windows 10 has no such mode; NUL is a terminal for Python, and has no mode at all.
        """
        console, mode = HANDLE(get_osfhandle(stream.fileno())), DWORD()
        if not windll.kernel32.GetConsoleMode(console, byref(mode)):
            return False
        wanted = mode.value | _ENABLE_VIRTUAL_TERMINAL_PROCESSING
        return bool(windll.kernel32.SetConsoleMode(console, wanted))

else:

    def reads_escapes(stream: TextIO) -> bool:  # noqa: ARG001 - every terminal does
        return True
