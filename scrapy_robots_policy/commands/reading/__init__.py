"""What is asked about? Files, sites, saved pages, the crawlers that a file names, and suites."""
