import type { IncomingMessage } from "node:http";
import { type BodyShare, bodyTooLarge, collectChunks, discardBody, readBody } from "@touchstone/service-kit";
import { hasBody } from "./body-refusal.ts";

/** A smaller body is sent as one buffer: half again as fast as a stream, and it can be offered to another replica. */
const bufferedMaxBytes = 1024 * 1024;

/** Memory of a streamed body: the buffers of both sockets and the chunk between them. */
const streamBytes = 256 * 1024;

/** A body to forward unread: nothing, one buffer, or a stream of a larger one. */
export interface RequestBody {
  content: Buffer | AsyncIterable<Buffer> | undefined;
  /** The length of a stream, if the client stated it. */
  bytes: number | undefined;
  /** Reads the rest off the socket: a client that still writes would miss the answer if the connection were closed. */
  discardRest(): void;
}

export const noBody: RequestBody = { content: undefined, bytes: undefined, discardRest: () => {} };

export interface RequestBodyBounds {
  maxBytes: number;
  /** Memory is reserved here before anything is read, for a buffer or a stream. */
  share: BodyShare;
}

/**
 * Reads the body of a request. Bytes are counted on the wire, so that a body without a length is refused (413) as soon
 * as it passes `maxBytes`; a stream then throws that error.
 */
export async function readRequestBody(request: IncomingMessage, bounds: RequestBodyBounds): Promise<RequestBody> {
  const { headers } = request;
  if (!hasBody(headers)) return noBody;
  const bytes = headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  if (bytes !== undefined && bytes <= bufferedMaxBytes) {
    return { ...noBody, content: await readBody(request, bounds) };
  }
  try {
    if (bytes !== undefined) {
      await bounds.share.enter(streamBytes);
      return streamOn(request, { ...bounds, head: null, bytes });
    }
    const { body, isWhole } = await collectChunks(request, { ...bounds, stopAfter: bufferedMaxBytes });
    if (isWhole) return { ...noBody, content: body };
    return streamOn(request, { ...bounds, head: body, bytes });
  } catch (thrown) {
    discardBody(request);
    throw thrown;
  }
}

interface StreamedBody extends RequestBodyBounds {
  head: Buffer | null;
  bytes: number | undefined;
}

function streamOn(request: IncomingMessage, { head, bytes, maxBytes, share }: StreamedBody): RequestBody {
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  let refusal: unknown = null;
  let interrupt: (reason: unknown) => void = () => {};
  share.giveWay((reason) => {
    refusal = reason;
    interrupt(reason);
  });
  /** The next chunk, or an error. Not a race with one promise, which would keep every chunk until it is settled. */
  const next = (): Promise<IteratorResult<Buffer>> =>
    new Promise((resolve, reject) => {
      interrupt = reject;
      if (refusal !== null) reject(refusal);
      else chunks.next().then(resolve, reject);
    });
  async function* content(): AsyncGenerator<Buffer> {
    if (head !== null) yield head;
    for (let total = head?.length ?? 0; ; ) {
      const { value, done } = await next();
      if (done) return share.giveWay(null);
      total += value.length;
      if (total > maxBytes) throw bodyTooLarge();
      yield value;
    }
  }
  return {
    content: content(),
    bytes,
    discardRest: () => void chunks.return?.().then(() => discardBody(request)),
  };
}
