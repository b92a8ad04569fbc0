"""What harnesses write of single instances, as rows of grades: a reader for each harness, and one
choice of the metric that tells right from wrong."""
