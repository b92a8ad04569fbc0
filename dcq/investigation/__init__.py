"""Everything that a verdict needs, asked in one go, and what would mend a weak one."""
