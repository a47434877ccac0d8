"""The store that docs/stores.md shows, taken from that page as a module that can be imported."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

PAGE = (Path(__file__).parent.parent.parent / "docs" / "stores.md").read_text("utf-8")
MODULE = "myproject_stores"
PATH = f"{MODULE}.FolderStore"
FOLDER = "MYPROJECT_ROBOTS_FOLDER"

_CODE = re.search(r"^## A complete store$.*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
assert _CODE is not None
module = ModuleType(MODULE)
exec(compile(_CODE[1], "docs/stores.md", "exec"), module.__dict__)
sys.modules[MODULE] = module
FolderStore = module.FolderStore
