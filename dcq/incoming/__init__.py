"""The door for files that strangers made: how large they may be, and what reading one may take.

``memory`` counts what a file becomes while it is read. ``json_parts`` reads JSON piece by piece.
``apart`` runs a reader in a process of its own with a limit on memory, for parsers whose appetite
cannot be counted from outside: zip, XML, parquet. What they are for is known to those who call.
Such a process imports nothing of ours but this package and the reader: it must start fast.
"""
