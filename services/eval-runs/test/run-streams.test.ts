import { text } from "node:stream/consumers";
import { projectDeleted } from "@touchstone/service-kit";
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

test("a run that cannot be read does not hold up others, and the stream of a deleted project ends", async () => {
  const ended = (runId: string) => ({ status: "completed", runId }) as RunProgressEvent;
  const streams = createRunStreams({
    readProgress: async (projectId, runId) => {
      if (projectId === "deleted") throw projectDeleted(null);
      if (runId === "unreadable") throw new Error("no answer");
      return ended(runId);
    },
    logger: quiet,
  });
  const unreadable = text(streams.open("project", "unreadable"));

  expect(await text(streams.open("deleted", "run"))).toBe("retry: 2000\n\n");
  expect(await text(streams.open("project", "run"))).toContain(
    'event: end\ndata: {"status":"completed","runId":"run"}',
  );

  await streams.stop();
  expect(await unreadable).toBe("retry: 2000\n\n");
});
