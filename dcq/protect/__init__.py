"""A benchmark that can prove later that it was seen: of each item one wording is published, chosen
by lot among several, and the others are kept secret.

The modules follow the order of work. ``make`` takes accepted wordings, makes the ``commitment`` to
them and draws the ``lot``; ``published`` writes the public files, and ``secret`` what the author
keeps. ``verify`` proves that the three belong together. ``shuffle`` puts wordings in an order that
does not depend on the lots; only that reaches ``method``, which asks. ``conclude`` opens the lots
when replies are in, and ``detection`` makes evidence of them.
"""

NAME = "protect"  # the kind of its runs, and the method of detection
