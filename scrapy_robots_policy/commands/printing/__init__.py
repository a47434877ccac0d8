"""How does an answer look? In colours and columns, as JSON, and beside a pull request."""
