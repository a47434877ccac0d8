"""Sites, settings and stores that mean harm, or are broken, and what a crawl must do about them."""
