"""When may a request go? The one way of a request from the middleware to the downloader."""
