import fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines } from "../src/import/split-lines.ts";

const never = new AbortController().signal;

async function split(chunks: readonly Buffer[], bytesMax = 1_000): Promise<[number, string | null][]> {
  async function* source() {
    yield* chunks;
  }
  const lines: [number, string | null][] = [];
  for await (const { number, bytes } of splitLines(source(), { bytesMax, signal: never })) {
    lines.push([number, bytes?.toString() ?? null]);
  }
  return lines;
}

test("lines are the same however a body is cut into chunks; empty ones are counted and left out", async () => {
  const text = fc.array(fc.constantFrom("{}", "é", "", " \t\r", "long line"), { maxLength: 8 });
  const cuts = fc.array(fc.nat(100), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(text, cuts, async (lines, at) => {
      const body = Buffer.from(lines.join("\n"));
      const ends = [...at.filter((end) => end < body.length), body.length].sort((left, right) => left - right);
      const chunks = ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
      const expected = lines.flatMap((line, index) => (line.trim() === "" ? [] : [[index + 1, line]]));
      expect(await split(chunks)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("a line over the limit is reported by its number and not kept; the next one is complete", async () => {
  const chunks = [Buffer.from("a\n"), ...Array.from({ length: 50 }, () => Buffer.alloc(7, "x")), Buffer.from("\nb")];
  expect(await split(chunks, 100)).toEqual([
    [1, "a"],
    [2, null],
    [3, "b"],
  ]);
});

test("the buffered size of a line is reported and released after it, and an error of the listener ends the lines", async () => {
  const pieces = async function* () {
    for (const piece of ["ab", "cd\nlonger than", " is taken\nef"]) yield Buffer.from(piece);
  };
  let held = 0;
  let heldMost = 0;
  const hold = (bytes: number): void => {
    held += bytes;
    heldMost = Math.max(heldMost, held);
  };
  const seen: [text: string | undefined, held: number][] = [];
  for await (const { bytes } of splitLines(pieces(), { bytesMax: 12, hold, signal: never })) {
    seen.push([bytes?.toString(), held]);
  }

  expect(seen).toEqual([
    ["abcd", 4],
    [undefined, 0],
    ["ef", 2],
  ]);
  expect(heldMost).toBe(11);
  const noRoom = () => {
    throw new Error("no room");
  };
  const full = splitLines(pieces(), { bytesMax: 12, hold: noRoom, signal: never });
  await expect(full.next()).rejects.toThrow("no room");
});

test.each([
  ["empty", "\n"],
  ["blank", " \n"],
  ["too long", "x"],
])(
  "of a client that has disconnected, lines that are %s and never returned are read no further",
  async (_what, piece) => {
    const left = new AbortController();
    let chunks = 0;
    async function* endless() {
      for (;;) {
        chunks += 1;
        if (chunks === 3) left.abort(new Error("the client has disconnected"));
        yield Buffer.from(piece.repeat(1_000));
      }
    }
    const lines = splitLines(endless(), { bytesMax: 100, signal: left.signal });
    await expect(lines.next()).rejects.toThrow("disconnected");
    expect(chunks).toBe(3);
  },
);
