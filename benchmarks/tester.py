"""What the tester's page asks of its server: 5,000 rules, 30 URLs, 6 crawlers, in all dialects.

python benchmarks/tester.py     processor time, which other work on the machine does not change much
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from scrapy_robots_policy.commands.tester.answers import Questions, Rules, answers, findings

RULES, URLS = 5_000, 30
AGENTS = ["Bot", "Googlebot", "bingbot", "YandexBot", "Baiduspider", "GPTBot"]
NAMES = ("a", "shop", "item", "search", "x%20y", "old", "api")
ENDS = ("", "", "/", "*.pdf$", "/*?sort=")


def file_and_urls() -> tuple[str, list[str]]:
    noise = random.Random(1)
    paths = [
        "".join(f"/{noise.choice(NAMES)}{noise.randint(0, 300)}" for _ in range(depth))
        for depth in noise.choices((1, 2, 3), k=RULES)
    ]
    rules = [
        f"{'Allow' if number % 7 == 0 else 'Disallow'}: {path}{noise.choice(ENDS)}"
        for number, path in enumerate(paths)
    ]
    return "\n".join(["User-agent: *", *rules]), paths[:: RULES // URLS][:URLS]


def spent(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def abandoned() -> bool:
    return False


def main() -> None:
    robots, urls = file_and_urls()
    question = {"robots": robots, "urls": urls, "agents": AGENTS, "dialect": "google"}
    questions, rules = Questions.of(question), Rules()
    others = Questions.of({**question, "urls": [f"{url}/x" for url in urls]})
    print(f"a new file         {spent(lambda: answers(questions, rules, abandoned)):6.2f} s")
    print(f"other URLs for it  {spent(lambda: answers(others, rules, abandoned)):6.2f} s")
    print(f"its findings       {spent(lambda: findings(question)):6.2f} s")


if __name__ == "__main__":
    main()
