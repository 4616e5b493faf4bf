import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProjectApi } from "../src/api/client.ts";
import { followEvents, type StreamState } from "../src/api/event-stream.ts";
import { ApiProblem } from "../src/api/problem.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false, addEventListener: vi.fn(), removeEventListener: vi.fn() });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** An API whose streams each send one of these and then break; records the position that each was resumed from. */
function serve(...texts: string[]) {
  const asked: (string | undefined)[] = [];
  const open: ProjectApi["open"] = async (_path, { signal, headers = {} }) => {
    asked.push(headers["last-event-id"]);
    const text = texts.shift();
    if (text !== undefined) return new Response(text);
    // The last one stays open.
    return new Response(new ReadableStream({ start: (held) => signal.addEventListener("abort", () => held.close()) }));
  };
  return { api: { open } as ProjectApi, asked };
}

test("a stream that is cut off before its first event goes on from where the server said it begins", async () => {
  const { api, asked } = serve(": alive\nid: 7-0\n\n", 'id: 9-1\nevent: trace\ndata: {"a":1}\n\n');
  const events: string[] = [];
  const onFresh = vi.fn();
  const stop = followEvents(api, { path: "/stream", onEvent: ({ data }) => events.push(data), onFresh });
  await vi.advanceTimersByTimeAsync(5_000);
  stop();
  expect(asked).toEqual([undefined, "7-0", "9-1"]);
  expect(events).toEqual(['{"a":1}']);
  // Only the first stream had no position to resume from.
  expect(onFresh).toHaveBeenCalledTimes(1);
});

test("a stopped stream delivers nothing that was on its way, and its place stays", async () => {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const place = { lastEventId: "7-0" };
  const onEvent = vi.fn();
  const api = { open: async () => new Response(readable) } as unknown as ProjectApi;
  const stop = followEvents(api, { path: "/stream", place, onEvent });
  await vi.advanceTimersByTimeAsync(10);
  void writable.getWriter().write(new TextEncoder().encode("id: 9-1\nevent: trace\ndata: {}\n\n"));
  stop();
  await vi.advanceTimersByTimeAsync(10);
  expect(onEvent).not.toHaveBeenCalled();
  expect(place.lastEventId).toBe("7-0");
});

test("a stream on which nothing arrives is opened again; one with marks is not", async () => {
  const streams: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>[] = [];
  const asked: (string | undefined)[] = [];
  const open: ProjectApi["open"] = async (_path, { headers = {} }) => {
    asked.push(headers["last-event-id"]);
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
    streams.push(writable.getWriter());
    return new Response(readable);
  };
  const states: StreamState[] = [];
  const onState = (state: StreamState) => states.push(state);
  const stop = followEvents({ open } as ProjectApi, { path: "/stream", onEvent: vi.fn(), onState });
  for (let marks = 0; marks < 8; marks += 1) {
    await vi.advanceTimersByTimeAsync(15_000);
    void streams[0]?.write(new TextEncoder().encode(": alive\nid: 7-0\n\n"));
  }
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual([undefined]);
  expect(states).toEqual(["connecting", "open"]);

  await vi.advanceTimersByTimeAsync(60_000);
  stop();
  expect(asked).toEqual([undefined, "7-0"]);
  expect(states).toEqual(["connecting", "open", "waiting", "connecting", "open", "closed"]);
});

test("a request for a stream that gets no answer is repeated", async () => {
  const open = vi.fn<ProjectApi["open"]>(
    (_path, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const stop = followEvents({ open } as unknown as ProjectApi, { path: "/stream", onEvent: vi.fn() });
  await vi.advanceTimersByTimeAsync(60_000);
  stop();
  expect(open).toHaveBeenCalledTimes(2);
});

test("while the server has no free slot, the caller polls and the stream is tried again", async () => {
  const onPoll = vi.fn();
  const states: StreamState[] = [];
  const open = vi
    .fn<ProjectApi["open"]>()
    .mockRejectedValueOnce(new ApiProblem("Too many streams", { status: 429 }))
    .mockRejectedValueOnce(new ApiProblem("Too many streams", { status: 429 }))
    .mockImplementation(async () => new Response(new ReadableStream()));
  const onState = (state: StreamState) => states.push(state);
  const stop = followEvents({ open } as unknown as ProjectApi, { path: "/stream", onEvent: vi.fn(), onPoll, onState });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(onPoll).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(7_000);
  stop();
  expect(onPoll).toHaveBeenCalledTimes(2);
  expect(open).toHaveBeenCalledTimes(3);
  expect(states).toEqual(["connecting", "waiting", "connecting", "waiting", "connecting", "open", "closed"]);
});

test("a stream goes on from the place of the one before it", async () => {
  const { api, asked } = serve("id: 7-0\n\n");
  const place = { lastEventId: null };
  const options = { path: "/stream", place, onEvent: vi.fn(), onFresh: vi.fn() };
  const stopFirst = followEvents(api, options);
  await vi.advanceTimersByTimeAsync(10);
  stopFirst();
  const stopSecond = followEvents(api, options);
  await vi.advanceTimersByTimeAsync(10);
  stopSecond();
  expect(asked).toEqual([undefined, "7-0"]);
  expect(options.onFresh).toHaveBeenCalledTimes(1);
});
