import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { hasMarkup } from "../src/ui/markdown.tsx";
import { MarkdownRenderer } from "../src/ui/markdown-renderer.tsx";

const render = (text: string) => renderToStaticMarkup(createElement(MarkdownRenderer, { text }));
const asIs = (text: string) =>
  renderToStaticMarkup(createElement("div", { className: "markdown break-words" }, createElement("p", null, text)));

test("a text without signs of Markdown is rendered as it is, whatever it says", () => {
  const words = fc.constantFrom(
    "a",
    "Sunny, 18 degrees.",
    "1",
    ".",
    ")",
    "-",
    "+",
    "=",
    " ",
    "  ",
    ":",
    "/",
    "!",
    '"',
    "'",
    "x@y",
    "www.",
    "https://",
    "example.org",
    "www.",
    "https://",
    "ftp://",
    "example.org",
    "$",
    "é",
    "😀",
  );
  const texts = fc.oneof(
    fc.array(words, { maxLength: 8 }).map((all) => all.join("")),
    fc.string(),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      fc.pre(text !== "" && !hasMarkup(text));
      expect(render(text)).toBe(asIs(text));
    }),
  );
});

test.each([
  "How is the weather in Paris?",
  "Sunny, 18 degrees: take no coat!",
  "It costs $3 - or 4.",
  "No. 3) is right",
])("%s needs no renderer", (text) => expect(hasMarkup(text)).toBe(false));

test.each([
  "a **b**",
  "see https://example.org",
  "- one",
  "1. one",
  "two\nlines",
  "`code`",
  "a | b",
  "&amp;",
  "me@example.org",
])("%s needs it", (text) => expect(hasMarkup(text)).toBe(true));
