"""What happened in this crawl? Events for the log and the stats, counts by origin, a report."""
