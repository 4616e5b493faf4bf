import { type FileHandle, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Score } from "./scores.ts";

/** An answer as it is submitted (interface: POST runs/{runId}/results), with the scores of the client's own scorers. */
export interface Answer {
  result: SubmittedResult;
  scores: Score[];
  /** What scorers threw, by name. Earlier versions of the SDK did not write it. */
  scorerFailures?: Readonly<Record<string, string>>;
}

export interface SubmittedResult {
  idempotencyKey: string;
  questionIndex: number;
  caseId: string;
  runNumber: number;
  input: { query: string };
  output?: { text: string };
  error?: { type: string; message: string };
  traceId?: string;
  retrievalContext?: string | string[];
  timings: { latencyMs: number; inputTokens?: number; outputTokens?: number };
}

/** The answers of a run on this machine, one a line: what was answered is never asked again. */
export interface Journal {
  /** What an earlier process wrote. */
  readonly answers: readonly Answer[];
  /** Resolves when the answer is on the disk. */
  write(answer: Answer): Promise<void>;
  close(): Promise<void>;
  /** Closes and deletes it: the server has everything. */
  remove(): Promise<void>;
}

const ownFolder = ".touchstone";

/** Opens the journal of a run in `.touchstone/runs` below a folder. */
export async function openJournal(folder: string, runId: string): Promise<Journal> {
  const runs = path.join(folder, ownFolder, "runs");
  await mkdir(runs, { recursive: true });
  await writeFile(path.join(folder, ownFolder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  const file = path.join(runs, `${runId}.jsonl`);
  const before = await readFile(file, "utf8").catch(() => "");
  const handle = await open(file, "a");
  // The last line is torn when the process was killed while it wrote.
  if (before !== "" && !before.endsWith("\n")) await handle.appendFile("\n");
  let last: Promise<void> = Promise.resolve();
  return {
    answers: before.split("\n").flatMap(readLine),
    write(answer) {
      last = last.catch(() => undefined).then(() => append(handle, answer));
      return last;
    },
    close: () => handle.close(),
    async remove() {
      await handle.close();
      await rm(file, { force: true });
    },
  };
}

async function append(handle: FileHandle, answer: Answer): Promise<void> {
  await handle.appendFile(`${JSON.stringify(answer)}\n`);
  await handle.datasync();
}

function readLine(line: string): Answer[] {
  try {
    const answer = JSON.parse(line) as Answer;
    return typeof answer?.result?.idempotencyKey === "string" ? [answer] : [];
  } catch {
    return [];
  }
}
