"""`scrapy robots lint`: what is wrong with these files, and the fixes that leave no choice."""

from __future__ import annotations

from ...lint import Severity
from ..arguments import Options, UsageError
from ..linting.explained import explain
from ..linting.finding_formats import FORMATS, Format, Statistics
from ..linting.lint_config import configured
from ..linting.linted_files import is_special, linted_files, names_of
from ..printing.terminal import Progress, print_error
from ..reading.download import is_web


def run(options: Options) -> int:
    """1 if a finding is a warning or an error, 0 without; 2 if a file could not be read."""
    if options.explain:
        return explain(options)
    options = configured(options)
    names = names_of(options)
    _check(names, options)
    show: Format = (
        Statistics(options.output_format)
        if options.statistics
        else FORMATS[options.output_format or "text"]()
    )
    progress = Progress(len(names))
    is_missing = has_faults = False
    for file in linted_files(names, options):
        progress.step(file.name)
        if file.error:
            print_error(file.error)
            show.missing(file.error)
            is_missing = True
            continue
        has_faults |= any(finding.severity is not Severity.NOTE for finding in file.findings)
        if not options.statistics:  # nothing is printed before the end
            progress.end()
        show.file(file)
    progress.end()
    show.end()
    return 2 if is_missing else int(has_faults and not options.exit_zero)


def _check(names: list[str], options: Options) -> None:
    """UsageError where nothing is named, or where two options do not go together."""
    if not (options.args or options.robots):
        raise UsageError("lint needs a FILE, a DIRECTORY, a URL or -")
    if options.fixes and any(is_web(name) or name == "-" or is_special(name) for name in names):
        raise UsageError("--fix changes files, not URLs, pipes or standard input")
    if options.statistics and options.output_format in ("sarif", "github"):
        raise UsageError(f"--statistics has no {options.output_format}; take text, json or csv")
