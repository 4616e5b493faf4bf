import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { linesOf, withoutControls } from "../src/lines.ts";

async function read(chunks: readonly (Uint8Array | string)[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(chunks))) lines.push(line);
  return lines;
}

test("a line ends at a line feed only, with or without a carriage return before it", async () => {
  const first = "a\u2028b\u2029c\u0085d\re";
  expect(await read([`${first}\r`, "\n", "\n", "last"])).toEqual([first, "", "last"]);
  expect(await read(["only\n"])).toEqual(["only"]);
  expect(await read([])).toEqual([]);
});

test("a byte order mark before the first line is left out, however its bytes are cut", async () => {
  const bytes = Buffer.from("\ufefffirst\n\ufeffsecond");
  expect(await read([bytes])).toEqual(["first", "\ufeffsecond"]);
  expect(await read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(["first", "\ufeffsecond"]);
});

test("lines come back as they were written, however their bytes are cut", async () => {
  const lines = ["a\u2028ä", "", "€ and 🦊", "\u2029"];
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(await read(chunks)).toEqual(lines);
  }
});

test("a stream that breaks makes reading fail, and one that is not read to its end is closed", async () => {
  const broken = new Readable({ read: () => void broken.destroy(new Error("It broke.")) });
  await expect(linesOf(broken).next()).rejects.toThrow("It broke.");

  const left = Readable.from(["one\ntwo\n"]);
  for await (const line of linesOf(left)) {
    expect(line).toBe("one");
    break;
  }
  expect(left.destroyed).toBe(true);
});

test("a name cannot control a terminal or turn its text around", () => {
  expect(withoutControls("x\u001b]52;c;ZQ==\u0007\r\nforged\u202e\u2066")).toBe("x ]52;c;ZQ== forged ");
});
