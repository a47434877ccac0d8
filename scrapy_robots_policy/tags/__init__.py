"""What does a page ask for, and what did the user say to do about it?"""
