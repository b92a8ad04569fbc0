"""What pages, commands and files share: results, verdicts, comparisons, exports."""
