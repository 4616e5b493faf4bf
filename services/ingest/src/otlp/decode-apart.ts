import { AppError, ComputeError, type ComputePool, defineComputeTask } from "@touchstone/service-kit";
import type { decodeItemInThread, ItemInThread, ItemWork } from "./decode-item-thread.ts";
import type { DecodeHeavy } from "./decode-items.ts";

/** The largest item within the limits takes one second; a machine may be busy. */
const deadlineMs = 15_000;

const task = defineComputeTask<typeof decodeItemInThread>(
  "decodeItemInThread",
  new URL("./decode-item-thread.ts", import.meta.url),
);

/**
 * Decodes heavy items of a project's exports in threads. An item that takes too much time or memory is rejected as a
 * bad item. Throws `queue_full` if no thread is available.
 */
export function createDecodeApart(threads: ComputePool): (projectId: string) => DecodeHeavy {
  return (projectId) => async (kind, source, item, nowMs) => {
    const { start, end, values, scope, resource } = item;
    const bytes = Uint8Array.from(source.body.subarray(start, end));
    const input: ItemInThread = {
      kind,
      bytes,
      contentType: source.contentType,
      around: { values, scope, resource },
      nowMs,
    };
    try {
      const done = await threads.run(task, input, { deadlineMs, projectId, transfer: [bytes.buffer] });
      if (done === null) throw new SyntaxError("the item is not JSON");
      return done.work as ItemWork[typeof kind];
    } catch (thrown) {
      if (!(thrown instanceof ComputeError)) throw thrown;
      if (thrown.kind === "timeout") return refused(kind, "it takes too long to decode");
      if (thrown.kind === "memory") return refused(kind, "it takes too much memory to decode");
      const message = "Ingest queue is full - retry with backoff (Retry-After: 1s).";
      throw new AppError("queue_full", message, { cause: thrown });
    }
  };
}

function refused<Kind extends keyof ItemWork>(kind: Kind, reason: string): ItemWork[Kind] {
  const rejected: ItemWork = {
    span: { span: null, fault: { reason, foreign: false }, warnings: [], name: "", valuesRead: 0 },
    genAiTrace: null,
    log: { said: null, spanKey: "", fault: reason, ignored: null, warnings: [], name: "", valuesRead: 0 },
  };
  return rejected[kind];
}
