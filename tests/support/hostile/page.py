"""Reads HTML pages that must hold nothing that runs or asks for something."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The tags, texts and table rows of a page; fails for what no page of tables may hold."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.rows, self.text, self.tags = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("img", "iframe", "object", "embed", "link", "base", "form")
        names = dict(attributes)
        assert not names.keys() & {"src", "href", "style"}
        assert not any(name.startswith("on") for name in names)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append((names.get("class"), names.get("data-k")))
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)
