import { setTimeout as sleep } from "node:timers/promises";
import { identityHeader, requestIdHeader } from "@touchstone/contracts";
import { createIdentitySigner, systemClock } from "@touchstone/service-kit";
import { rootSecret } from "./start-eval-runs.ts";

/** A server-sent event; comments are left out. */
export interface ReceivedEvent {
  id: string;
  event: string;
  data: unknown;
}

/** An open stream of events. */
export interface EventStream {
  /** The next event; rejects when the stream ends first. */
  next(): Promise<ReceivedEvent>;
  /** Reads to the end; true when the server ended it without another event. */
  ended(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens a stream as the gateway does. With `patientMs` a refusal (429) is tried again for so long. */
export async function openStream(
  address: string,
  projectId: string,
  path: string,
  { patientMs = 0 }: { patientMs?: number } = {},
): Promise<EventStream> {
  const sign = createIdentitySigner({ issuer: "gateway", audience: "eval-runs", rootSecret, clock: systemClock });
  const claims = { projectId, organizationId: null, userId: null, role: "key", requestId: "stream" } as const;
  const aborting = new AbortController();
  const deadlineMs = performance.now() + patientMs;
  for (;;) {
    const response = await fetch(`${address}${path}`, {
      headers: { [identityHeader]: sign({ ...claims, method: "GET", path }), [requestIdHeader]: "stream" },
      signal: aborting.signal,
    });
    if (response.status === 200 && response.body !== null) {
      return readStream(response.body.getReader(), aborting);
    }
    if (response.status !== 429 || performance.now() > deadlineMs)
      throw new Error(`the stream answered ${response.status}`);
    await sleep(100);
  }
}

function readStream(reader: ReadableStreamDefaultReader<Uint8Array>, aborting: AbortController): EventStream {
  const decoder = new TextDecoder();
  let text = "";

  async function readEvent(): Promise<ReceivedEvent | null> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end < 0) {
        const { done, value } = await reader.read();
        if (done) return null;
        text += decoder.decode(value, { stream: true });
        continue;
      }
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined) return { id: field("id") ?? "", event: field("event") ?? "", data: JSON.parse(data) };
    }
  }

  return {
    async next() {
      const event = await readEvent();
      if (event === null) throw new Error("the stream has ended");
      return event;
    },
    ended: async () => (await readEvent()) === null,
    async close() {
      aborting.abort();
      await reader.cancel().catch(() => undefined);
    },
  };
}
