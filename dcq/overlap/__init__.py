"""Is a benchmark verbatim on the web or in a corpus, and what does that do to accuracy?

After Li, Guo, Guerin and Lin, "An Open-Source Data Contamination Report for Large Language Models".
"""
