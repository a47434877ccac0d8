"""Plugins and habits of real projects, crawled without robots.txt, with stock Scrapy, and with us.

`make matrix` runs it and writes docs/matrix.md. Each entry is a small project in `projects/`. It
runs in a virtual environment of its own, on the newest versions that work together.
"""
