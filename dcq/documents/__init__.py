"""What people read of a study: sections, slides, reports, and the rows that charts take."""
