import { expect, test } from "vitest";
import { createFrameReader, encodeFrame, FrameTooLargeError } from "../../src/scorers/code/child/frames.ts";

const texts = ["", "a", "über\u{1f600}", "x".repeat(1000), '{"kind":"timeout"}'];

test.each([1, 2, 3, 5, 7, 64, 100_000])("frames arrive whole and in order in chunks of %d bytes", (size) => {
  const bytes = Buffer.concat(texts.map(encodeFrame));
  const read = createFrameReader(4_000);
  const arrived: string[] = [];
  for (let at = 0; at < bytes.length; at += size) arrived.push(...read(bytes.subarray(at, at + size)));
  expect(arrived).toEqual(texts);
});

test("a frame over the limit is refused as soon as its length is known", () => {
  const read = createFrameReader(100);
  expect(read(encodeFrame("x".repeat(100)))).toHaveLength(1);
  expect(() => read(encodeFrame("x".repeat(101)).subarray(0, 4))).toThrow(FrameTooLargeError);
});
