import { runAtOnce } from "@touchstone/service-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockNumbersMax, createPostingsBuilder, readList } from "../src/search/postings.ts";
import { type PostingsRecord, toCandidates } from "../src/search/search-candidate-reader.ts";
import { bucketsOf, projectBucket } from "../src/search/text-buckets.ts";

const [own, other] = ["01890000-0000-7000-8000-000000000001", "01890000-0000-7000-8000-000000000002"];

/** The lists of a block that holds these texts at these places. */
function listsOf(texts: readonly { place: number; text: string; projectId?: string }[]): Map<number, Buffer> {
  const builder = createPostingsBuilder();
  for (const { place, projectId = own, text } of texts) builder.add(place, projectId, text);
  const { buckets, starts, lengths, bytes } = runAtOnce(builder.encode());
  return new Map(
    Array.from(buckets, (bucket, at) => {
      const start = starts[at] ?? 0;
      return [bucket, bytes.subarray(start, start + (lengths[at] ?? 0))];
    }),
  );
}

/** The texts that a search for the term reads, with the lists of all of its buckets. */
function candidatesOf(lists: ReadonlyMap<number, Buffer>, projectId: string, term: string): number[] {
  const wanted = [...new Set([...bucketsOf(term), projectBucket(projectId)])];
  if (!wanted.every((bucket) => lists.has(bucket))) return [];
  const rows = wanted.map((bucket): PostingsRecord => {
    return { beyond: "9000", first: 0, postings: lists.get(bucket) ?? null };
  });
  return [...(toCandidates(rows).numbers ?? [])];
}

const anyPlaces = fc.oneof(
  fc.uniqueArray(fc.nat(blockNumbersMax - 1), { minLength: 1, maxLength: 60 }),
  fc
    .record({ step: fc.integer({ min: 1, max: 9 }), from: fc.nat(1000) })
    .map(({ step, from }) =>
      Array.from({ length: Math.floor((blockNumbersMax - from) / step) }, (_, at) => from + at * step),
    ),
);

describe("a list of postings", () => {
  test("is read as it was written, short or long, dense or not", () => {
    fc.assert(
      fc.property(anyPlaces, (places) => {
        const ascending = places.toSorted((one, next) => one - next);
        const lists = listsOf(ascending.map((place) => ({ place, text: "abc" })));
        expect(readList(lists.get(bucketsOf("abc")[0] ?? -1) ?? Buffer.of())).toEqual(ascending);
      }),
      { numRuns: 60 },
    );
  });

  test("never takes more than a bitmap", () => {
    const places = Array.from({ length: blockNumbersMax }, (_, place) => place);
    for (const list of listsOf(places.map((place) => ({ place, text: "abc" }))).values()) {
      expect(list.length).toBeLessThanOrEqual(blockNumbersMax / 8 + 1);
    }
  });
});

describe("the candidates of a search", () => {
  test("include every text that contains the term, whatever its characters", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "日", "🦉", "\n", "%", "\\"), maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 30 }), fc.nat(), fc.nat(), fc.nat(), (texts, ...at) => {
        const sought = texts[at[0] % texts.length] ?? "";
        const start = at[1] % (sought.length + 1);
        const term = sought.slice(start, start + 3 + (at[2] % 12));
        fc.pre(term.length >= 3);
        const found = candidatesOf(listsOf(texts.map((text, place) => ({ place, text }))), own, term);
        expect(found).toEqual(
          expect.arrayContaining(texts.flatMap((text, place) => (text.includes(term) ? [place] : []))),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("leave out nearly all texts without the term, and those of other projects", () => {
    const texts = Array.from({ length: 500 }, (_, place) => ({
      place,
      text: `request ${place * 7919} of customer ${place * 104_729}`,
      projectId: place % 2 ? own : other,
    }));
    const found = candidatesOf(listsOf(texts), own, texts[301]?.text.slice(0, 16) ?? "");
    expect(found).toContain(301);
    expect(found.length).toBeLessThan(10);
    expect(found.every((place) => place % 2 === 1)).toBe(true);
  });

  test("are all texts for a term of fewer than three characters, and where there would be too many", () => {
    expect(bucketsOf("ab")).toEqual([]);
    expect(toCandidates(null)).toEqual({ numbers: null, beyond: 0 });
    const everywhere = listsOf(Array.from({ length: blockNumbersMax }, (_, place) => ({ place, text: "abc" })));
    const postings = everywhere.get(bucketsOf("abc")[0] ?? -1) ?? null;
    const rows = Array.from({ length: 20 }, (_, block) => ({ beyond: "200000", first: block * 8192, postings }));
    expect(toCandidates(rows)).toEqual({ numbers: null, beyond: 0 });
    expect(toCandidates(rows.slice(0, 2)).numbers).toHaveLength(2 * 8192);
  });
});
