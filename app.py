"""The app: page set-up and navigation, nothing else. Start it with ``make run``."""

import streamlit as st

from dcq.settings import DATA
from dcq.ui import page

# A local file: for a Streamlit icon, browsers would fetch a font from another host.
st.set_page_config(page_title="dcq", page_icon=DATA / "icon.svg", layout="wide")
page.navigation().run()
