import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { arrayBuffer, json } from "node:stream/consumers";
import type { HopBounds } from "./hop-bounds.ts";
import type { LocalAnswer } from "./local-calls.ts";
import type { Pieces } from "./pieces.ts";

/** An answer: a status and a body, for any status. */
export interface HopAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The whole body, if available; `body` need not be read then. */
  whole?: Pieces;
  body: Readable & { arrayBuffer(): Promise<ArrayBuffer>; json(): Promise<unknown>; dump(): Promise<void> };
  /** Removes the deadline from the rest of the body: the caller then ensures progress. */
  takeTime(): void;
}

/** An answer without its bounds. */
export type SentAnswer = Omit<HopAnswer, "takeTime">;

interface AnsweredHop {
  /** Set if the answer may take long. */
  lasting?: { idleMs: number } | undefined;
}

/** A caller with the whole body needs no stream of it: one is made only on demand. */
export function toHopAnswer({ status, headers, body }: LocalAnswer, hop: AnsweredHop, bounds: HopBounds): HopAnswer {
  if (body instanceof Readable) {
    bounds.signal.addEventListener("abort", () => body.destroy(bounds.signal.reason), { once: true });
    return hold({ status, headers, body: readable(body) }, hop, bounds);
  }
  bounds.release();
  return {
    status,
    headers,
    whole: body,
    get body() {
      return readable(Readable.from(body.all));
    },
    // It is already here.
    takeTime: () => undefined,
  };
}

/** Adds what undici's bodies can do. */
function readable(body: Readable): HopAnswer["body"] {
  return Object.assign(body, {
    arrayBuffer: () => arrayBuffer(body),
    json: () => json(body),
    dump: async () => void body.destroy(),
  });
}

/** The answer has begun; its bounds hold until it has ended. */
export function hold(answer: SentAnswer, { lasting }: AnsweredHop, bounds: HopBounds): HopAnswer {
  if (lasting !== undefined) bounds.endDeadline();
  answer.body.once("close", bounds.release);
  // It may fail before it is read, and an `error` event without a listener ends the process.
  answer.body.on("error", () => undefined);
  return { ...answer, takeTime: bounds.endDeadline };
}
