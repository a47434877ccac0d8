"""Which files does `lint` look at, and how are their findings shown?"""
