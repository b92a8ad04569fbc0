"""A result of likelihoods in a browser: the shades of tokens, and a text that is no markup."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, samples
from tests.browser.conftest import wait_until_idle
from tests.support.likelihoods import long_sample, score
from tests.support.page_rules import RULES, violations
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

MARKUP = "<img src=x onerror=\"document.title='taken'\"> **bold** :red[x]"


@pytest.fixture
def scored(provider: FakeProvider, fresh_store: Store) -> str:
    """A run on one instance with markup in it, made before the app is."""
    made = long_sample(2)
    instances = tuple(replace(one, text=f"{one.text} {MARKUP}") for one in made.instances)
    variants = {
        now.id: tuple(f"{text} {MARKUP}" for text in made.variants[one.id])
        for one, now in zip(made.instances, instances, strict=True)
    }
    sample = replace(made, instances=instances, variants=variants)
    sample_id = samples.save(fresh_store, sample)
    with ThreadPoolExecutor(1) as thread:  # the browser has a loop in this one
        return thread.submit(score, fresh_store, sample_id).result()


def test_tokens_are_shaded_underlined_and_inert(scored: str, app_url: str, tab: Page) -> None:
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        tab.emulate_media(color_scheme=scheme)
        tab.goto(f"{app_url}/likelihood?likelihood_view=Result&likelihood_run={scored}")
        word = tab.locator("p[dir] span").get_by_text("onerror", exact=False).first
        expect(word).to_be_visible()
        wait_until_idle(tab)
        assert tab.title() != "taken"
        assert tab.locator("p[dir] img").count() == 0
        text = tab.locator("p[dir]").first
        expect(text).to_contain_text(MARKUP)
        tips = text.locator("span[title^='log p −']")
        surprise = [float(str(tip.get_attribute("title"))[7:]) for tip in tips.all()]
        shades = tips.evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
        lines = tips.evaluate_all("all => all.map(one => getComputedStyle(one).textDecorationLine)")
        assert len(set(shades)) == 4  # this model gives each token 0.03 % to 37 %
        for value, line in zip(surprise, lines, strict=True):
            assert (line == "underline") == (value > 6.908)
        assert violations(tab, RULES) == [], scheme
