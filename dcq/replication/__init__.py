"""Instance replication (Golchin and Surdeanu, *Time Travel in LLMs*): does a model complete an
instance word for word once it is told the dataset and the split?

The second method beside the quiz: what is asked (``pieces``, ``prompts``), how it is asked on the
engine (``freeze``, ``method``, ``replicate``), and what a reply and a score mean.
"""

RUNS = ("replication", "judge", "cheat")  # the kinds of runs, as kept with each
