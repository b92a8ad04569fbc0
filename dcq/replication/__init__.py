"""Instance replication (Golchin and Surdeanu, *Time Travel in LLMs*): does a model complete an
instance word for word once it is told the dataset and the split?

Nothing here asks a model. It says what to ask, and what a reply, a score and a count mean.
"""
