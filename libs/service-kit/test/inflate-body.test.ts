import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { inflateBody } from "../src/index.ts";

const text = Buffer.from("the same text, over and over. ".repeat(100));

test.each([
  ["gzip", gzipSync(text)],
  ["GZIP", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["zstd", zstdCompressSync(text)],
  ["identity", text],
  [undefined, text],
])("a body sent as %s is decoded unchanged", async (encoding, body) => {
  expect((await inflateBody(body, encoding, text.length)).equals(text)).toBe(true);
});

test("a body that inflates past the limit is refused as too large", async () => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));

  await expect(inflateBody(bomb, "gzip", 1024 * 1024)).rejects.toMatchObject({ code: "body_too_large" });
});

test("all frames of a zstd body are read, also after one without data", async () => {
  const frames = ["one ", "two"].map((part) => zstdCompressSync(part));
  // The magic number of a skippable frame, its length, its data.
  const skippable = Buffer.from("502a4d180400000000000000", "hex");
  const read = (...parts: Buffer[]) => inflateBody(Buffer.concat(parts), "zstd", 1024);
  expect((await read(skippable, ...frames)).toString()).toBe("one two");
  await expect(read(...frames, Buffer.from("no frame"))).rejects.toMatchObject({ code: "body_unreadable" });
  await expect(inflateBody(Buffer.concat(frames), "zstd", 6)).rejects.toMatchObject({ code: "body_too_large" });
});

test("a zstd frame that requires a huge window is unreadable, whatever its contents", async () => {
  // Magic, descriptor, window descriptor of 128 MiB (2^27, which zstd itself would grant), one empty last block.
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00]);

  expect(zstdDecompressSync(frame)).toHaveLength(0);
  await expect(inflateBody(frame, "zstd", 1024)).rejects.toMatchObject({ code: "body_unreadable" });
});

test("truncated data is unreadable, and an unknown encoding is named", async () => {
  await expect(inflateBody(gzipSync(text).subarray(0, 20), "gzip", 1e6)).rejects.toMatchObject({
    code: "body_unreadable",
  });
  await expect(inflateBody(text, "br-x", 1e6)).rejects.toMatchObject({
    code: "unsupported_media_type",
    message: 'unsupported content encoding "br-x"',
  });
  await expect(inflateBody(text, "constructor", 1e6)).rejects.toMatchObject({ code: "unsupported_media_type" });
});
