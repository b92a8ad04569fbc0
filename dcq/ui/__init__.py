"""What the pages share; the only package that imports streamlit."""
