"""Which queries stand in a corpus of local files? Candidates by shared runs of words, then METEOR.

After the n-gram overlap of Brown et al. (2020), with runs of five words instead of 8 to 13, because
what they find is then scored by ``dcq.overlap.match``.
"""
