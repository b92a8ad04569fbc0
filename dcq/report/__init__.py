"""What a screen, a command and a file all show: results, verdicts, comparisons, exports."""
