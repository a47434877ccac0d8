"""What did one try to get a robots.txt bring? Request, redirects, body, headers: one result."""
