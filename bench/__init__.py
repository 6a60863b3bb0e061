"""What the project costs, measured beside the plainest thing that does the same work.

Every figure is a comparison made in one run, in rounds that alternate between both sides, because
absolute figures drift from hour to hour and from machine to machine. A comparator is never made
slow: it does the same work, as durably and as widely, and is short enough to be read and doubted.
A module here is one benchmark; `python -m bench` runs them. Nothing of this is part of the product.
"""
