"""Property tests here take what time a busy machine needs: a slow example is not a wrong one."""

import hypothesis

hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")
