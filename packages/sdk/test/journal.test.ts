import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, openJournal } from "../src/journal.ts";

const answer = (key: string): Answer => ({
  result: {
    idempotencyKey: key,
    questionIndex: 0,
    caseId: "case-0",
    runNumber: 1,
    input: { query: "Rain?" },
    output: { text: "Yes.\nNo." },
    timings: { latencyMs: 1 },
  },
  scores: [],
});

test("a journal returns what was written, except a line that a kill has torn, and goes on behind it", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-journal-"));
  const first = await openJournal(folder, "run");
  await Promise.all([first.write(answer("a")), first.write(answer("b"))]);
  await first.close();
  await appendFile(path.join(folder, ".touchstone/runs/run.jsonl"), JSON.stringify(answer("c")).slice(0, 40));

  const second = await openJournal(folder, "run");
  expect(second.answers).toEqual([answer("a"), answer("b")]);
  await second.write(answer("d"));
  await second.close();

  const third = await openJournal(folder, "run");
  expect(third.answers.map(({ result }) => result.idempotencyKey)).toEqual(["a", "b", "d"]);
  await third.remove();
  expect(await readdir(path.join(folder, ".touchstone/runs"))).toEqual([]);
  await rm(folder, { recursive: true });
});
