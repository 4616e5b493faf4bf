import type { IncomingMessage } from "node:http";
import { bodyTooLarge, hasBody } from "./body-refusal.ts";

/** Up to here a body goes on as one buffer: half again as fast as a stream, and it can be offered to another replica. */
const bufferedMaxBytes = 1024 * 1024;

/** A body to be passed on unread: nothing, one buffer, or a stream of a larger one. */
export interface RequestBody {
  content: Buffer | AsyncIterable<Buffer> | undefined;
  /** Reads what is left off the socket: a client that still writes would miss the answer if it were cut. */
  discardRest(): void;
}

export const noBody: RequestBody = { content: undefined, discardRest: () => {} };

/**
 * Takes the body of a request. Bytes are counted on the wire, so that a body without a length is refused (413) as soon
 * as it passes `maxBytes`; a stream throws the refusal then.
 */
export async function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  if (!hasBody(request.headers)) return noBody;
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  const discardRest = (): void => {
    if (!request.readableEnded) void chunks.return?.().then(() => request.resume());
  };
  const head: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes <= bufferedMaxBytes) {
      const { value, done } = await chunks.next();
      if (done) return { content: Buffer.concat(head, bytes), discardRest };
      bytes += value.length;
      if (bytes > maxBytes) throw bodyTooLarge();
      head.push(value);
    }
  } catch (thrown) {
    discardRest();
    throw thrown;
  }
  return { content: streamOn(head, chunks, { bytes, maxBytes }), discardRest };
}

async function* streamOn(
  head: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
  { bytes, maxBytes }: { bytes: number; maxBytes: number },
): AsyncGenerator<Buffer> {
  yield* head;
  for (let total = bytes; ; ) {
    const { value, done } = await rest.next();
    if (done) return;
    total += value.length;
    if (total > maxBytes) throw bodyTooLarge();
    yield value;
  }
}
