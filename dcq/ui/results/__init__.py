"""How results are shown: verdicts, checklists, tables, charts and single answers."""
