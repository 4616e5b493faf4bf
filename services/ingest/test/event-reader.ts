import type { RunningIngest } from "./running-ingest.ts";

export interface ReadEvent {
  id: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  data: any;
}

/** A reader of the live tail, as a browser reads server-sent events. */
export interface EventReader {
  status: number;
  /** The events so far, in order. */
  events: ReadEvent[];
  /** The header that a browser would send when it reconnects. */
  lastEventId(): string;
  /** Resolves when the other side has ended or broken the stream. */
  ended: Promise<void>;
  /** Leaves. */
  close(): Promise<void>;
}

/** Resolves once the stream has begun: later commits are sent. */
export async function readEvents(
  ingest: RunningIngest,
  projectId: string,
  { query = "", lastEventId }: { query?: string; lastEventId?: string } = {},
): Promise<EventReader> {
  const abort = new AbortController();
  const response = await ingest.open(projectId, "GET", `/api/v1/ingest/traces/stream${query}`, {
    headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
    signal: abort.signal,
  });
  const events: ReadEvent[] = [];
  let id = "";
  let begun = (): void => {};
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });

  function take(block: string): void {
    const fields = new Map(
      block
        .split("\n")
        .filter((line) => !line.startsWith(":"))
        .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(": ") + 2)]),
    );
    id = fields.get("id") ?? id;
    const data = fields.get("data");
    if (data !== undefined) events.push({ id, name: fields.get("event") ?? "message", data: JSON.parse(data) });
    begun();
  }

  async function read(): Promise<void> {
    if (!response.ok || response.body === null) return begun();
    let text = "";
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) take(block);
      }
    } catch {
      // Broken, by either side.
    }
    begun();
  }

  const ended = read();
  await beginning;
  return {
    status: response.status,
    events,
    lastEventId: () => id,
    ended,
    async close() {
      abort.abort();
      await ended;
    },
  };
}
