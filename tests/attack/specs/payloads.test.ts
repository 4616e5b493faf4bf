import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { attacks } from "../src/attacks.ts";
import { characterClasses, fill } from "../src/payloads/characters.ts";
import { join, pack, packNumbered, packRepeated } from "../src/payloads/gzip-pieces.ts";
import { listOtlpBombs } from "../src/payloads/otlp-bombs.ts";

test("pieces inflate to the size they declare", () => {
  const packed = join(
    pack("["),
    packRepeated(300_000, "{},"),
    packNumbered(10_000, (number) => `${number},`),
    pack("0]"),
  );
  const text = gunzipSync(packed.zipped).toString();
  expect(text).toHaveLength(packed.bytes);
  expect(packed.zipped.length).toBeLessThan(packed.bytes / 10);
  const values = JSON.parse(text) as unknown[];
  expect(values.filter((value) => typeof value === "object")).toHaveLength(100_000);
  expect(values.slice(100_000, 100_003)).toEqual([0, 1, 2]);
});

// A payload that is rejected at its first byte would attack nothing.
test.each(listOtlpBombs(20_000).map((make) => make()))(
  "the bomb $name is well formed",
  ({ name, contentType, build }) => {
    const [bytes, other] = [gunzipSync(build()), gunzipSync(build())];
    expect(bytes.length).toBeGreaterThan(19_000);
    if (name.includes("without end")) return;
    if (contentType === "application/json") expect(() => JSON.parse(bytes.toString())).not.toThrow();
    else expect(walk(bytes)).toBe(true);
    // Each span has different ids.
    if (/attribute|value|event|link|pair/.test(name) && !/log/.test(name)) expect(bytes.equals(other)).toBe(false);
  },
);

/** Whether the bytes are valid delimited fields and numbers up to the end. */
function walk(bytes: Buffer): boolean {
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at] ?? Number.NaN;
      at += 1;
      value += (byte & 127) * scale;
      scale *= 128;
      if (!(byte >= 128)) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 2) {
      const length = varint();
      at += length;
    } else if ((tag & 7) === 0) varint();
    else return false;
  }
  return at === bytes.length;
}

test("a text of any class has the requested length", () => {
  for (const unit of characterClasses) expect(fill(unit, 1_001)).toHaveLength(1_001);
});

test("each attack has a unique name and a description", () => {
  expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
  for (const { name, does } of attacks) expect(`${name}: ${does}`).toMatch(/^[a-z-]+: [A-Z\d].+\.$/);
});
