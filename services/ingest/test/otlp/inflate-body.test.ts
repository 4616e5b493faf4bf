import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { isAppError } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { inflateBody } from "../../src/otlp/inflate-body.ts";

const limitBytes = 100_000;
const text = Buffer.from("It is 18 °C and sunny in Paris. ".repeat(100));

const encoded: [string | undefined, Buffer][] = [
  [undefined, text],
  ["identity", text],
  ["gzip", gzipSync(text)],
  ["GZIP ", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["zstd", zstdCompressSync(text)],
];

describe.each(encoded)("encoding %s", (encoding, body) => {
  test("comes out as it went in, from a buffer and from a stream in small pieces", async () => {
    expect(await inflateBody(body, encoding, limitBytes)).toEqual(text);
    expect(await inflateBody(piecesOf(body, 7), encoding, limitBytes)).toEqual(text);
  });

  test("is refused as too large with the first byte past the limit, not before", async () => {
    expect(await inflateBody(body, encoding, text.length)).toEqual(text);
    expect(await codeOf(inflateBody(body, encoding, text.length - 1))).toBe("body_too_large");
    expect(await codeOf(inflateBody(piecesOf(body, 7), encoding, text.length - 1))).toBe("body_too_large");
  });
});

test.each(encoded.filter(([encoding]) => encoding !== undefined && encoding !== "identity"))(
  "%s that is cut off is unreadable",
  async (encoding, body) => {
    expect(await codeOf(inflateBody(body.subarray(0, body.length - 8), encoding, limitBytes))).toBe("body_unreadable");
    expect(await codeOf(inflateBody(body.subarray(0, 3), encoding, limitBytes))).toBe("body_unreadable");
    expect(await codeOf(inflateBody(Buffer.alloc(0), encoding, limitBytes))).toBe("body_unreadable");
  },
);

test("text under the name of an encoding is unreadable", async () => {
  for (const encoding of ["gzip", "deflate", "zstd"]) {
    expect(await codeOf(inflateBody(text, encoding, limitBytes)), encoding).toBe("body_unreadable");
  }
});

test("an encoding we do not know, and two on top of each other, are refused by name", async () => {
  await expect(inflateBody(text, "br", limitBytes)).rejects.toThrow('Unsupported content encoding "br"');
  await expect(inflateBody(text, "gzip, gzip", limitBytes)).rejects.toThrow('"gzip, gzip"');
  expect(await codeOf(inflateBody(text, "constructor", limitBytes))).toBe("unsupported_media_type");
});

test("what is too large on the wire is refused though it would inflate to little", async () => {
  const body = gzipSync(Buffer.from("x"));
  expect(await codeOf(inflateBody(body, "gzip", body.length - 1))).toBe("body_too_large");
});

test("an empty body is empty", async () => {
  expect(await inflateBody(Buffer.alloc(0), undefined, limitBytes)).toHaveLength(0);
});

test("a zstd frame that asks for a huge window is unreadable, whatever it holds", async () => {
  // Magic, descriptor, window descriptor of 128 MiB (2^27, which zstd itself would grant), one empty last block.
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00]);
  expect(zstdDecompressSync(frame)).toHaveLength(0);
  expect(await codeOf(inflateBody(frame, "zstd", limitBytes))).toBe("body_unreadable");
});

test("a refused request keeps its socket, so that the answer still arrives", async () => {
  const server = createServer((incoming, response) => {
    inflateBody(incoming, undefined, 10).then(
      () => response.end("taken"),
      (thrown) => response.writeHead(413, { connection: "close" }).end(String(isAppError(thrown) && thrown.code)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, method: "POST" });
    // Never ended: the answer must not wait for the rest of a body that is refused.
    sent.write("0123456789a");
    const [response] = await once(sent, "response");
    expect([response.statusCode, Buffer.concat(await response.toArray()).toString()]).toEqual([413, "body_too_large"]);
    sent.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a client that hangs up is its own error, not a bad body", async () => {
  const hangup = new Error("aborted");
  const body = new Readable({ read: () => body.destroy(hangup) });
  await expect(inflateBody(body, "gzip", limitBytes)).rejects.toBe(hangup);
});

function piecesOf(body: Buffer, size: number): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return Readable.from(pieces);
}

async function codeOf(inflated: Promise<unknown>): Promise<string | undefined> {
  const thrown = await inflated.then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  return isAppError(thrown) ? thrown.code : thrown === undefined ? undefined : String(thrown);
}
