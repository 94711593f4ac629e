"""The pages in a real browser that has no network: keys, names for those who listen, and room.

They need Playwright (the extra ``browser``) and a Chromium, which MOON_CHROMIUM names if it is not
on the path. Where axe-core lies in a folder that AXE_CORE names, it looks at the pages too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.match.playing import random_match
from tests.pages.nights import HOSTILE, night
from tournaments.pages.match_page import match_page
from tournaments.pages.night import read_night
from tournaments.pages.report_page import report_page
from tournaments.pages.steps import replay_of
from tournaments.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
NAMES = ("chromium", "chromium-browser", "google-chrome")
# The environment as it was before each test takes its variables away.
CHROMIUM = os.environ.get("MOON_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
AXE = os.environ.get("AXE_CORE")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PHONE, PROJECTOR = {"width": 360, "height": 780}, {"width": 1920, "height": 1080}

CONTRAST = """() => {
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.unshift(parts(getComputedStyle(at).backgroundColor));
    }
    return layers.reduce((under, [r, g, b, a = 1]) =>
      [r, g, b].map((part, k) => part * a + under[k] * (1 - a)), [255, 255, 255]);
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest("svg, script, :disabled")) continue;
    const own_color = parts(getComputedStyle(element).color).slice(0, 3);
    const [one, other] = [own_color, behind(element)].map(luminance);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) poor.push(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}"""
"""The texts whose contrast is below 4.5 to 1 (WCAG 2.2, criterion 1.4.3)."""
WIDTH = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNNAMED = """() => [...document.querySelectorAll("button, select, input, [role=img], [role=group]")]
  .filter((each) => !each.hidden && !(each.getAttribute("aria-label") || each.labels?.length))
  .map((each) => each.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a match and a report on which everything occurs."""
    folder = tmp_path_factory.mktemp("pages")
    match = random_match("tournament-3p", 3, deals=2, seats=("x" * 300, *HOSTILE[:2]))
    (folder / "match.html").write_text(match_page(replay_of(match)), encoding="utf-8")
    four = random_match("tournament-4p", 3, deals=1, seats=(*HOSTILE, "d"))
    (folder / "four.html").write_text(match_page(replay_of(four)), encoding="utf-8")
    with Store.open(night(folder / "night.sqlite")) as store:
        page = report_page(store.run, read_night(store))
    (folder / "report.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


class Visit:
    """One look at a page: what it complains of, and what it asks of the network, is a failure."""

    def __init__(self, browser: Browser, path: Path, address: str = "", **settings: object) -> None:
        self._context = browser.new_context(offline=True, **settings)  # type: ignore[arg-type]
        if AXE is not None:
            self._context.add_init_script(path=Path(AXE) / "axe.min.js")
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(60_000)
        self.problems: list[str] = []
        self.page.on("console", lambda said: self.problems.append(said.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.on("request", self._look_at)
        self.page.goto(f"{path.as_uri()}{address}")

    def _look_at(self, request: object) -> None:
        url = request.url  # type: ignore[attr-defined]
        if not url.startswith("file:"):
            self.problems.append(url)

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, *_: object) -> None:
        self._context.close()
        assert self.problems == []


def caption(page: Page) -> str:
    return page.locator("#caption").inner_text()


def test_keys_go_through_a_match_and_the_address_follows(browser: Browser, pages: Path) -> None:
    with Visit(browser, pages / "match.html") as page:
        assert caption(page) == "The tiles are dealt."
        page.keyboard.press("ArrowRight")
        first = caption(page)
        assert page.url.endswith("#d0.1")
        assert HOSTILE[0] in first or HOSTILE[1] in first or "xxx" in first
        assert page.locator(".choice.now").get_attribute("id") == "d0.1"
        page.keyboard.press("ArrowLeft")
        assert page.url.endswith("#d0")
        page.keyboard.press("End")
        assert page.get_by_role("button", name="One decision on").is_enabled()
        page.keyboard.press("ArrowRight")
        assert page.url.endswith("#d1")
        page.keyboard.press("Shift+ArrowLeft")
        assert page.url.endswith("#d0")
        page.keyboard.press("Home")
        page.keyboard.press(" ")
        assert page.get_by_role("button", name="Stop").is_visible()
        page.keyboard.press(" ")
        assert page.get_by_role("button", name="Play").is_visible()
        page.get_by_role("slider", name="Decision of the deal").focus()
        page.keyboard.press("End")
        assert page.get_by_role("heading", level=2).inner_text() == "Deal 0"


def test_an_address_opens_at_its_decision_and_a_seat_sees_only_its_hand(
    browser: Browser, pages: Path
) -> None:
    with Visit(browser, pages / "four.html", "#d0.3") as page:
        assert page.locator(".choice.now").get_attribute("id") == "d0.3"
        backs = page.locator('.stage [aria-label="a tile, face down"]')
        assert backs.count() == 0
        page.get_by_label("Seen by").select_option("2")
        assert backs.count() == 21
        assert page.locator(".seat.south").get_attribute("aria-label") == HOSTILE[2]
        assert page.locator(".hands tr.shut").count() == 3
        assert page.get_by_role("group", name="The table from above").is_visible()


def test_a_link_of_the_report_shows_its_deal(browser: Browser, pages: Path) -> None:
    with Visit(browser, pages / "report.html") as page:
        link = page.locator(".awards a").first
        address = link.get_attribute("href")
        link.focus()
        page.keyboard.press("Enter")
        assert page.url.endswith(f"{address}")
        assert page.locator(".sheet:visible").get_attribute("id") == f"{address}"[1:]
        assert page.locator("#player").is_visible()


def test_without_a_script_everything_is_there_to_be_read(browser: Browser, pages: Path) -> None:
    with Visit(browser, pages / "match.html", "#d1", java_script_enabled=False) as page:
        assert page.locator(".sheet:visible").count() == 2
        assert not page.locator("#player").is_visible()


@pytest.mark.parametrize("name", ["match.html", "four.html", "report.html"])
def test_a_page_has_room_and_contrast_on_a_phone_and_on_a_projector(
    browser: Browser, pages: Path, name: str
) -> None:
    for size, scheme in ((PHONE, "dark"), (PROJECTOR, "light")):
        with Visit(browser, pages / name, viewport=size, color_scheme=scheme) as page:
            page.keyboard.press("ArrowRight")
            assert page.evaluate(WIDTH) == 0, size
            assert page.evaluate(UNNAMED) == []
            assert page.evaluate(CONTRAST) == [], scheme
            if AXE is not None:
                found = page.evaluate("() => axe.run().then((all) => all.violations)")
                assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
