"""Instance replication (Golchin and Surdeanu, *Time Travel in LLMs*): does a model complete an
instance word for word once it is told the dataset and the split?

``pieces`` and ``prompts`` say what is asked, ``freeze``, ``method`` and ``replicate`` how the
engine asks it, and the other modules read replies and scores.
"""

RUNS = ("replication", "judge", "cheat")  # the kinds of runs, as kept with each
