"""What sites say about the use of their pages, and what a crawl declares that it does with them.

Preferences stand in lines of a robots.txt (`lines`), in a tdmrep.json (`rep.tdmrep`), and in
headers and tags of a page (`rep.page`). They say what may be done with a page that was fetched.
Whether it may be fetched is a matter of rules.

The drafts are pinned: AIPREF here is draft-ietf-aipref-vocab-08 (13 September 2026) and
draft-ietf-aipref-attach-05 (19 August 2026), both as in ietf-wg-aipref/drafts.
"""

from .preferences import DeclaredUse

__all__ = ["DeclaredUse"]
