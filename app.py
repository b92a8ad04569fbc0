"""The app: page set-up and navigation, nothing else. Start it with ``make run``."""

import streamlit as st

from dcq.ui import page

st.set_page_config(page_title="dcq", page_icon=":material/fingerprint:", layout="wide")
page.navigation().run()
