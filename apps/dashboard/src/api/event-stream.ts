import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { ProjectApi } from "./client.ts";
import { ApiProblem } from "./problem.ts";

export type StreamState = "connecting" | "open" | "waiting" | "closed";

/** The position up to which events were read. If a caller keeps it, a later stream resumes there. */
export interface StreamPlace {
  lastEventId: string | null;
}

export interface StreamOptions {
  path: string;
  place?: StreamPlace;
  onEvent(event: EventSourceMessage): void;
  /** A stream opened without a position to resume from: earlier events are not delivered. */
  onFresh?(): void;
  onState?(state: StreamState): void;
  /** Called every 5 s while the server has no free slot for another stream. */
  onPoll?(): void;
}

const pollMs = 5_000;
/** Three times the interval of the server's marks: on a stream without a byte for so long nothing more will arrive. */
const silentMs = 45_000;
const retryFirstMs = 1_000;
const retryMostMs = 15_000;

/**
 * Follows server-sent events by fetch, because an EventSource can send no key. The stream is closed while the tab is hidden,
 * resumes after a disconnect or a long silence, backs off while the server is unavailable, and ends at a problem that a retry cannot fix. Returns a
 * function that stops it.
 */
export function followEvents(api: ProjectApi, options: StreamOptions): () => void {
  const { path, place = { lastEventId: null }, onEvent, onFresh, onState, onPoll } = options;
  let isStopped = false;
  let connection: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let retryMs = retryFirstMs;

  function stopConnection(): void {
    clearTimeout(timer);
    clearTimeout(silence);
    connection?.abort();
    connection = null;
  }

  /** The server was heard, or just called. */
  function watchSilence(): void {
    clearTimeout(silence);
    silence = setTimeout(() => {
      stopConnection();
      again(retryFirstMs);
    }, silentMs);
  }

  function again(inMs: number): void {
    if (isStopped || document.hidden) return;
    onState?.("waiting");
    clearTimeout(timer);
    clearTimeout(silence);
    timer = setTimeout(() => void follow(), inMs);
  }

  async function follow(): Promise<void> {
    const own = new AbortController();
    connection = own;
    onState?.("connecting");
    watchSilence();
    try {
      const { lastEventId } = place;
      const headers: Record<string, string> = lastEventId === null ? {} : { "last-event-id": lastEventId };
      const answer = await api.open(path, { signal: own.signal, headers });
      onState?.("open");
      if (lastEventId === null) onFresh?.();
      retryMs = retryFirstMs;
      const parser = createParser({
        onEvent,
        // Also for marks, which are not events: the server sends the start of the stream before the first event.
        onId(id) {
          place.lastEventId = id;
        },
      });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) {
        // The position of a stopped stream stays where its caller last knew it.
        if (own.signal.aborted) return;
        watchSilence();
        parser.feed(piece.value);
      }
      if (!own.signal.aborted) again(retryFirstMs);
    } catch (error) {
      if (own.signal.aborted) return;
      if (error instanceof ApiProblem && error.status === 429) {
        onPoll?.();
        return again(pollMs);
      }
      const isHopeless = error instanceof ApiProblem && error.status >= 400 && error.status < 500;
      if (isHopeless) {
        clearTimeout(silence);
        return onState?.("closed");
      }
      again(retryMs);
      retryMs = Math.min(retryMs * 2, retryMostMs);
    }
  }

  const onVisibility = (): void => {
    stopConnection();
    if (!document.hidden) void follow();
  };
  document.addEventListener("visibilitychange", onVisibility);
  if (!document.hidden) void follow();
  return () => {
    isStopped = true;
    document.removeEventListener("visibilitychange", onVisibility);
    stopConnection();
    onState?.("closed");
  };
}
