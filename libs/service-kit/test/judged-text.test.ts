import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderContext } from "../src/judged-text.ts";

describe("the retrieval context a judge reads", () => {
  test("is a text as it is, and a list as numbered chunks between blank lines", () => {
    expect(renderContext("as it is")).toBe("as it is");
    expect(renderContext(["one", "two\nlines"])).toBe("[chunk 1] one\n\n[chunk 2] two\nlines");
    expect(renderContext(["one"], "spans")).toBe("[retrieval 1] one");
  });

  test("is null when there is nothing to read", () => {
    for (const nothing of [null, "", " \n ", []]) expect(renderContext(nothing)).toBeNull();
  });

  test("is whole up to 12,000 characters; a longer one is cut, never within a character, and says so", () => {
    const texts = fc.string({
      unit: fc.constantFrom("a", "\u{1F600}", "\n", " "),
      minLength: 11_990,
      maxLength: 12_020,
    });
    fc.assert(
      fc.property(texts, (text) => {
        const rendered = renderContext(text) ?? "";
        if (text.trim() === "") return expect(rendered).toBe("");
        if (text.length <= 12_000) return expect(rendered).toBe(text);
        const [, kept = ""] = /^(.*)\.\.\. \[cut after 12000 characters\]$/s.exec(rendered) ?? [];
        expect(kept.length).toBeGreaterThanOrEqual(11_999);
        expect(kept.length).toBeLessThanOrEqual(12_000);
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.isWellFormed()).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
