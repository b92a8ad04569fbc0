"""How many controls there are, and how large, where nobody says."""

SMALL_CONTROLS = 10  # sources that are proposed: they find more than three large ones, same calls
SMALL = 12  # instances of each
