"""Search services and web archives: is an instance on the web, and was the page crawled?

Only this folder of ``dcq.overlap`` talks to a network. Keys come from the environment and are in no
message, no cache and no log.
"""
