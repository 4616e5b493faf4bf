import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { inflateStream } from "../src/inflate-stream.ts";

const mebibyte = 1024 * 1024;

describe("a body as a stream", () => {
  test("is inflated", async () => {
    const sent = Buffer.alloc(mebibyte, "a");
    expect(await buffer(inflateStream(Readable.from([gzipSync(sent)]), "gzip", mebibyte))).toEqual(sent);
  });

  test("with a second zstd frame is refused, as part of it would be lost", async () => {
    const frames = ["one", "two"].map((part) => zstdCompressSync(part));
    const stream = inflateStream(Readable.from([Buffer.concat(frames)]), "zstd", mebibyte);
    await expect(buffer(stream)).rejects.toMatchObject({ code: "body_unreadable" });
    expect(String(await buffer(inflateStream(Readable.from([frames[0]]), "zstd", mebibyte)))).toBe("one");
  });

  test.for([
    ["is no gzip data", Buffer.from("no gzip data"), "body_unreadable"],
    ["breaks off", gzipSync(Buffer.alloc(mebibyte, "a")).subarray(0, 500), "body_unreadable"],
    ["is too large", gzipSync(Buffer.alloc(mebibyte + 1, "a")), "body_too_large"],
  ] as const)("that %s fails its reader alone, however late it is read", async ([, sent, code]) => {
    const stream = inflateStream(Readable.from([sent]), "gzip", mebibyte);
    // An `error` event without a listener would end the process.
    await sleep(50);
    await expect(buffer(stream)).rejects.toMatchObject({ code });
  });
});
