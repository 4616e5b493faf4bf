import { writeFile } from "node:fs/promises";
import { EvaluationError, type EvaluationRun, evaluate, type GateVerdict, type RunResult } from "@touchstone/sdk";
import type { Command } from "commander";
import { describeVerdict } from "../gate.ts";
import { type ProgressView, showProgress } from "../progress.ts";
import { exitCodes, type Surroundings } from "../surroundings.ts";
import { type EvalConfig, readConfig } from "./config.ts";
import { renderJunit } from "./junit.ts";
import { openTask } from "./task.ts";

interface EvalFlags {
  resume?: string;
  url?: string;
  json?: boolean;
  junit?: string;
}

/** Without a gate a run with more skipped results says nothing about the agent. */
const maxSkipped = 0.1;

/** `touchstone eval [touchstone.yaml]` */
export function addEval(program: Command, surroundings: Surroundings): void {
  program
    .command("eval")
    .description("Ask an agent the cases of a dataset, and let the answers be judged.")
    .argument("[config]", "the configuration", "touchstone.yaml")
    .option("--resume <run>", "go on with an unfinished run")
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print the run and the verdict as JSON")
    .option("--junit <file>", "write a report for pipelines")
    .action(async (file: string, flags: EvalFlags) => {
      const config = await readConfig(file);
      const again = `touchstone eval${file === "touchstone.yaml" ? "" : ` ${file}`} --resume`;
      try {
        process.exitCode = await runEval(config, flags, surroundings);
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        const reason = error.cause instanceof Error ? error.cause.message : String(error.cause);
        throw new Error(`${reason}\nThe answers are kept. Resume with:\n  ${again} ${error.runId}`, { cause: error });
      }
    });
}

const format = "{value} of {total} judged, {answered} answered, {failed} failed";

async function runEval(config: EvalConfig, flags: EvalFlags, surroundings: Surroundings): Promise<number> {
  const { client, note, print, isTerminal, interrupted, environment } = surroundings;
  const { gate: checks, task, url, ...options } = config;
  let view: ProgressView | undefined;
  const run = await evaluate({
    ...options,
    client: client(flags.url ?? url),
    task: await openTask(task, environment),
    resume: flags.resume,
    signal: interrupted,
    onStart({ runId, url: page, total }) {
      note(`Run ${runId}: ${total} answers are asked for. ${page}`);
      view = showProgress({ total, format, note, isTerminal });
    },
    onProgress: ({ submitted, answered, failed }) => view?.update(submitted, { answered, failed }),
  }).finally(() => view?.stop());
  const gate = checks === null ? null : await run.gate(checks);
  if (flags.junit !== undefined) await writeFile(flags.junit, renderJunit(await collect(run), gate));
  print(flags.json === true ? JSON.stringify({ run, gate }) : describe(run, gate));
  return gate?.exitCode ?? judgeRun(run);
}

/** Without a gate: an agent that answered nothing has failed, and too many skipped results decide nothing. */
function judgeRun({ resultCount, skippedCount, failedCount }: EvaluationRun): number {
  if (failedCount === resultCount) return exitCodes.failed;
  return skippedCount / resultCount > maxSkipped ? exitCodes.undecided : exitCodes.passed;
}

async function collect(run: EvaluationRun): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for await (const result of run.results()) results.push(result);
  return results;
}

function describe(run: EvaluationRun, gate: GateVerdict | null): string {
  const { averageRating, ratedCount, failedCount, skippedCount, url, scorerFailures } = run;
  const average = averageRating === null ? "Nothing is rated" : `Average rating ${averageRating.toFixed(2)}`;
  return [
    `${average}: ${ratedCount} rated, of these ${failedCount} failed; ${skippedCount} skipped.`,
    ...Object.entries(scorerFailures).map(([name, message]) => `The scorer ${name} failed: ${message}`),
    ...(gate === null ? [] : [describeVerdict(gate)]),
    url,
  ].join("\n");
}
