import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderContext } from "../src/judging/judge-request.ts";

describe("the retrieval context a judge reads", () => {
  test("is a text as it is, and a list as numbered chunks between blank lines", () => {
    expect(renderContext("as it is")).toBe("as it is");
    expect(renderContext(["one", "two\nlines"])).toBe("[chunk 1] one\n\n[chunk 2] two\nlines");
  });

  test("is null when there is nothing to read", () => {
    for (const nothing of [null, "", " \n ", []]) expect(renderContext(nothing)).toBeNull();
  });

  test("is at most 12,000 characters long, is never changed before the cut, and cuts no character in half", () => {
    const texts = fc.string({
      unit: fc.constantFrom("a", "\u{1F600}", "\n", " "),
      minLength: 11_990,
      maxLength: 12_020,
    });
    fc.assert(
      fc.property(texts, (text) => {
        const rendered = renderContext(text) ?? "";
        expect(rendered.length).toBeLessThanOrEqual(12_000);
        expect(text.trim() === "" || text.startsWith(rendered)).toBe(true);
        expect(rendered.isWellFormed()).toBe(true);
        if (text.length <= 12_000 && text.trim() !== "") expect(rendered).toBe(text);
      }),
      { numRuns: 30 },
    );
  });
});
