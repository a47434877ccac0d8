"""What does each verb answer? One module has one verb; its `run` gives the exit status."""
