"""What goes out and comes in again: tables, bundles, samples, sheets."""
