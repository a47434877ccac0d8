"""What a page says in headers, tags and links, and what the user wants done about it."""
