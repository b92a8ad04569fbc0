"""A benchmark that can prove later that it was seen: of each item one wording is published, chosen
by lot among several, and the others are kept.

The order of work is that of the modules: ``make`` takes accepted wordings, binds itself to them by
a ``commitment`` and draws the ``lot``; ``published`` writes what the world gets, and ``secret``
what the author keeps. ``verify`` proves that the three belong together. ``shuffle`` puts wordings
in an order that says nothing of the lot; only that reaches ``method``, which asks. ``conclude``
opens the lots when replies are in, and ``detection`` makes evidence of them.
"""

NAME = "protect"  # the kind of its runs, and the method of detection
