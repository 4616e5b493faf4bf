import type { IncomingMessage } from "node:http";
import { AppError } from "./app-error.ts";
import type { BodyShare } from "./body-budget.ts";

export interface BodyBounds {
  maxBytes: number;
  /** Reserves memory for the body: for all of an announced length before its first byte, else chunk by chunk. */
  share: BodyShare;
}

const empty = Buffer.alloc(0);

/**
 * The whole body of a request. Refused with 413 as soon as it is known to exceed `maxBytes`, and with the error of
 * `share` when there is no memory; the rest of the body is then read and discarded, so that the client can read the
 * answer. 400 when the body breaks off. Events take a third less time than an iterator for a body of one chunk.
 */
export async function readBody(request: IncomingMessage, { maxBytes, share }: BodyBounds): Promise<Buffer> {
  const announced = request.headers["content-length"];
  try {
    if (announced === undefined) {
      if (request.headers["transfer-encoding"] === undefined) return empty;
      return (await collectChunks(request, { stopAfter: Number.POSITIVE_INFINITY, maxBytes, share })).body;
    }
    const bytes = Number(announced);
    if (bytes > maxBytes) throw bodyTooLarge();
    if (bytes === 0) return empty;
    await share.enter(bytes);
    return await collect(request, bytes, share);
  } catch (thrown) {
    discardBody(request);
    throw thrown;
  }
}

/** The chunks of a body without a length, until it ends or is longer than `stopAfter`; then the request is paused. */
export function collectChunks(
  request: IncomingMessage,
  { stopAfter, maxBytes, share }: BodyBounds & { stopAfter: number },
): Promise<{ body: Buffer; isWhole: boolean }> {
  const chunks = createChunkList();
  let bytes = 0;
  let isEntering = false;
  let isEnded = false;
  return listen(request, share, (finish, fail) => ({
    onData(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) return fail(bodyTooLarge());
      request.pause();
      isEntering = true;
      share.enter(chunk.length).then(() => {
        isEntering = false;
        chunks.add(chunk);
        if (isEnded) finish({ body: chunks.join(), isWhole: true });
        else if (bytes > stopAfter) finish({ body: chunks.join(), isWhole: false });
        else request.resume();
      }, fail);
    },
    onEnd() {
      // A paused request still ends once its last chunk is read: that one may still be waiting for memory.
      isEnded = true;
      if (!isEntering) finish({ body: chunks.join(), isWhole: true });
    },
  }));
}

/** A smaller chunk is copied: as an object it takes hundreds of bytes, also if it has one. */
const ownObjectMinBytes = 4 * 1024;
const blockBytes = { first: 512, max: 64 * 1024 };

/** Chunks in their order, whose memory is at most about twice their bytes. */
function createChunkList() {
  const chunks: Buffer[] = [];
  let block = empty;
  let used = 0;
  const closeBlock = (): void => {
    if (used > 0) chunks.push(block.subarray(0, used));
    used = 0;
  };
  return {
    add(chunk: Buffer): void {
      if (chunk.length >= ownObjectMinBytes) {
        closeBlock();
        block = empty;
        chunks.push(chunk);
        return;
      }
      if (chunk.length > block.length - used) {
        closeBlock();
        const next = Math.min(blockBytes.max, Math.max(blockBytes.first, 2 * block.length));
        block = Buffer.allocUnsafeSlow(Math.max(next, chunk.length));
      }
      used += chunk.copy(block, used);
    },
    join(): Buffer {
      closeBlock();
      return Buffer.concat(chunks);
    },
  };
}

/** How much of a refused body is read and discarded; its sender had time to see the answer by then. */
const discardMaxBytes = 64 * 1024 * 1024;

/**
 * Reads the rest of a body off the socket: a client that is still writing would miss the answer if the connection were
 * cut.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardMaxBytes) request.socket.destroy();
  });
  request.on("error", () => {});
  request.resume();
}

export function bodyTooLarge(): AppError {
  return new AppError("body_too_large", "request entity too large");
}

/** A body of a known length, in one piece of memory. */
function collect(request: IncomingMessage, length: number, share: BodyShare): Promise<Buffer> {
  let body: Buffer | null = null;
  let bytes = 0;
  return listen(request, share, (finish) => ({
    onData(chunk) {
      if (chunk.length === length) return finish(chunk);
      body ??= Buffer.allocUnsafeSlow(length);
      bytes += chunk.copy(body, bytes);
      if (bytes === length) finish(body);
    },
    onEnd() {},
  }));
}

interface Listener {
  onData(chunk: Buffer): void;
  onEnd(): void;
}

/** Listens to a body until it is complete, breaks off, or has to give way. */
function listen<Result>(
  request: IncomingMessage,
  share: BodyShare,
  listenerOf: (finish: (result: Result) => void, fail: (reason: unknown) => void) => Listener,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const forget = (): void => {
      share.giveWay(null);
      request.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onClose);
    };
    const fail = (reason: unknown): void => {
      forget();
      reject(reason);
    };
    const onBroken = (cause?: unknown): void => {
      fail(new AppError("body_unreadable", "The request body broke off.", { cause }));
    };
    // A body that has ended is complete, though its last chunk may still be waiting for memory.
    const onClose = (): void => {
      if (!request.readableEnded) onBroken();
    };
    const { onData, onEnd } = listenerOf((result) => {
      forget();
      resolve(result);
    }, fail);
    share.giveWay(fail);
    if (request.destroyed && !request.readableEnded) return onBroken();
    request.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onClose);
  });
}
