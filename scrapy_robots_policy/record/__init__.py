"""What did this crawl obey, and can it be shown? The record of a crawl, and its replay.

`recorder` writes the lines while the crawl runs. `reading` and `replay` read them years later and
decide every request anew from the bytes in the file. `docs/audit.md` describes the lines.
"""
