"""Reading files from strangers within limits of size and memory.

``plain_file`` opens what somebody named, if it is a plain file. ``memory`` counts what a file
becomes while it is read. ``json_parts`` reads JSON piece by piece.
``reader_process`` runs a reader in a process of its own with a limit on memory, for formats whose
use of memory cannot be counted from outside: zip, XML, parquet. Such a process imports nothing of
ours but this package and the reader, because it must start fast.
"""
