"""The parts of the web pages; the only package that imports streamlit."""
