"""The app of an installed copy, opened from a folder whose files have the names of ours."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import wait_until_it_answers
from tests.support.wheel import Installed, build, copy_checkout, install


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    (folder / "checkout").mkdir()
    copy_checkout(folder / "checkout")
    return install(build(folder / "checkout", folder / "wheel"), folder)


@contextlib.contextmanager
def opened(installed: Installed, log: Path) -> Iterator[str]:
    """The address of the app, as its own command opens it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with log.open("wb") as output:
        app = subprocess.Popen(
            [installed.dcq, "app", "--port", port, "--headless"],
            cwd=installed.elsewhere,
            env=installed.environment,
            stdout=output,
            stderr=output,
        )
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}/_stcore/health", lambda: app.poll() is None)
        yield f"http://127.0.0.1:{port}"
    finally:
        app.terminate()
        app.wait(60)


@pytest.mark.ci
@pytest.mark.browser
def test_the_app_opens_from_elsewhere_as_it_looks_here(
    installed: Installed, chromium: Browser, tmp_path: Path
) -> None:
    settings = installed.elsewhere / ".streamlit" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(
        '[server]\naddress = "0.0.0.0"\n[theme.light]\nbackgroundColor = "#ff0000"\n'
    )
    before = installed.files()
    with opened(installed, tmp_path / "app.log") as url:
        page = chromium.new_page(color_scheme="light")
        page.set_default_timeout(30_000)
        page.goto(url)
        heading = page.get_by_role("heading", level=1).first
        expect(heading).to_have_text("Has the model seen the benchmark?")
        ours = re.compile(r"rgb\(253, 252, 250\)")  # of .streamlit/config.toml
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", ours)
        page.goto(f"{url}/settings")
        expect(heading).to_have_text("Settings")
        expect(page.get_by_text(os.fspath(installed.home)).first).to_be_visible()
        page.close()
    assert url in (tmp_path / "app.log").read_text()  # and no address that is open to others
    assert "0.0.0.0" not in (tmp_path / "app.log").read_text()  # noqa: S104  (the address refused)
    assert installed.files() == before
