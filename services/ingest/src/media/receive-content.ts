import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { limits } from "@touchstone/contracts";
import { AppError, type BodyBudget, createBodyBudget, type Tenant } from "@touchstone/service-kit";

/** Content in one row of the store. */
const partBytes = 1024 * 1024;

/** What was announced of content. */
export interface ExpectedContent {
  sha256: Buffer;
  contentLength: number;
}

/** Reads content that is uploaded. */
export interface ContentReceiver {
  /**
   * Reads the content into parts and passes them on, within the memory for uploads: throws 429 if there is none. Throws 400
   * if it is not what was announced. A slow upload ends if another project needs its memory.
   */
  receive<Result>(
    content: Readable,
    expected: ExpectedContent,
    tenant: Tenant,
    store: (parts: Buffer[]) => Promise<Result>,
  ): Promise<Result>;
}

export function createContentReceiver(
  uploads: BodyBudget = createBodyBudget({ bytesMax: limits.mediaUploadsMaxBytes }),
): ContentReceiver {
  return {
    async receive(content, expected, tenant, store) {
      const share = uploads.open(tooManyUploads, tenant);
      try {
        await share.enter(expected.contentLength);
        share.giveWay((refusal) => content.destroy(refusal));
        const parts = await readParts(content, expected);
        share.giveWay(null);
        return await store(parts);
      } finally {
        share.release();
      }
    },
  };
}

async function readParts(content: Readable, { sha256, contentLength }: ExpectedContent): Promise<Buffer[]> {
  const whole = Buffer.allocUnsafe(contentLength);
  const hash = createHash("sha256");
  let total = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (total + chunk.length > contentLength) throw wrongLength(contentLength, "more");
    hash.update(chunk);
    total += chunk.copy(whole, total);
  }
  if (total < contentLength) throw wrongLength(contentLength, `${total}`);
  if (!hash.digest().equals(sha256)) {
    throw new AppError("bad_request", "The content has another SHA-256 than was announced.");
  }
  const parts = Math.ceil(contentLength / partBytes);
  return Array.from({ length: parts }, (_, number) => whole.subarray(number * partBytes, (number + 1) * partBytes));
}

function wrongLength(announced: number, found: string): AppError {
  return new AppError("bad_request", `The content was announced with ${announced} bytes, but has ${found}.`);
}

function tooManyUploads(): AppError {
  return new AppError("rate_limited", "Too many uploads at a time; retry.", { retryAfterSeconds: 2 });
}
