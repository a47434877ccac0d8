"""What site owners ask: lint, test, diff, blocked, and the tester. Nothing else imports it."""
