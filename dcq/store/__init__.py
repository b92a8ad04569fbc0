"""The results store: one DuckDB file, opened for one operation at a time.

``Store`` (``connect.py``) opens it; one module per family of tables reads and writes it. This is
the only package that imports ``duckdb`` and the only place for SQL.
"""

from dcq.store.connect import Store

__all__ = ["Store"]
