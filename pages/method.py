"""The method, to read beside the numbers."""

from urllib.parse import quote

import streamlit as st

from dcq.ui import handbook, page

page.start("The method", "What dcq does, what its numbers mean, and what they do not show.")

sections = handbook.method()
with st.popover("Contents", icon=":material/toc:"):
    st.markdown(
        "\n".join(
            f"{'  ' * (section.level - 2)}- [{section.title}](#{quote(section.anchor)})"
            for section in sections
            if section.level > 1
        )
    )

with st.container(width=900):
    for section in sections:
        if section.level > 1:
            write = st.header if section.level == 2 else st.subheader
            # Encoded as in an address, or the browser would not find a heading with a κ.
            write(section.title, anchor=quote(section.anchor))
        for part in section.parts:
            if isinstance(part, str):
                st.markdown(part)
            else:
                st.image(str(part.path), caption=part.alt, alt=part.alt)
