import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createRunStreams, type RunProgressEvent } from "../src/runs/run-streams.ts";
import { quiet } from "./start-eval-runs.ts";

test("a stream that is stopped while a state is read for it ends, and does not break off", async () => {
  const reading = Promise.withResolvers<RunProgressEvent | null>();
  const streams = createRunStreams({ readProgress: () => reading.promise, logger: quiet });
  const read = text(streams.open("project", "run"));

  const stopping = streams.stop();
  reading.resolve({ status: "in_progress", runId: "run" } as RunProgressEvent);
  await stopping;

  expect(await read).toBe("retry: 2000\n\n");
});
