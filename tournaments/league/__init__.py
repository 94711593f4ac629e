"""A league: a folder with its terms, its entries, its nights and the log of all that was done.

`League` opens one; everything else here is a part of it.
"""
