"""A page as a browser takes it apart: its elements, their attributes, and the text in them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any, NamedTuple

VOID = {"meta", "input", "br", "img", "link"}
WITHOUT_ESCAPES = ("script", "style")


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str]
    texts: list[str]
    """The text below it, piece by piece."""

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts)).strip()


class Page(HTMLParser):
    """What is on a page."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(source)
        self.close()
        assert not self._open, f"not closed: {[each.tag for each in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute stands twice: {tag} {attrs}"
        element = Element(tag, {name: value or "" for name, value in attrs}, [])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}, []))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop().tag == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)

    def all(self, tag: str = "", style: str = "") -> list[Element]:
        """Returns the elements with this tag, and with this class."""
        return [
            each
            for each in self.elements
            if tag in ("", each.tag)
            and (not style or style in each.attributes.get("class", "").split())
        ]

    def one(self, name: str) -> Element:
        """Returns the element with this id."""
        [found] = [each for each in self.elements if each.attributes.get("id") == name]
        return found

    @property
    def data(self) -> Any:
        """What the page tells its script."""
        return json.loads("".join(self.one("replay-data").texts))

    @property
    def policy(self) -> dict[str, list[str]]:
        """The content security policy, by directive."""
        [meta] = [
            each
            for each in self.all("meta")
            if each.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        parts = [part.split() for part in meta.attributes["content"].split(";")]
        return {name: sources for name, *sources in parts}


def check_is_closed(source: str) -> Page:
    """Returns a page that can fetch nothing, and runs nothing but its own script."""
    page = Page(source)
    scripts = [each for each in page.all("script") if "type" not in each.attributes]
    policy = page.policy
    for name, elements in (("script-src", scripts), ("style-src", page.all("style"))):
        [element] = elements
        digest = hashlib.sha256("".join(element.texts).encode()).digest()
        assert policy[name] == [f"'sha256-{base64.b64encode(digest).decode()}'"]
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == ["'none'"]
    for element in page.elements:
        assert element.tag not in {"img", "link", "iframe", "object", "embed", "base", "form"}
        for name, value in element.attributes.items():
            assert not name.startswith("on"), f"{element.tag} {name}"
            assert name not in {"src", "srcset", "style", "xlink:href", "action", "data"}
            if name == "href":
                assert value.startswith("#"), value
    ids = [each.attributes["id"] for each in page.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids)), "an id stands twice"
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", source)
    return page
