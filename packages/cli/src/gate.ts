import { askGate, type GateOptions, type GateVerdict } from "@touchstone/sdk";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Surroundings } from "./surroundings.ts";

/** `touchstone gate <run>` */
export function addGate(program: Command, { client, print }: Surroundings): void {
  program
    .command("gate")
    .description("Decide whether a run passes.")
    .argument("<run>", "the id of the run")
    .option("--fail-under <rating>", "the least average rating that passes", readNumber)
    .addOption(new Option("--method <method>", "compare case by case with the baseline").choices(["paired"]))
    .option("--no-regression", "the average must not be below the baseline's by more than the tolerance")
    .option("--tolerance <rating>", "how far below the baseline still passes", readNumber)
    .option("--min-effect <rating>", "the least difference that matters", readNumber)
    .option("--strict", "an undecided comparison does not pass")
    .option("--baseline <run>", "the run to compare with")
    .option("--scorer <name>", "gate the ratings of an additional scorer")
    .option("--metric <name>", "gate a score instead of the ratings")
    .option("--max-skipped <share>", "the share of results that may be skipped, 0 to 1", readNumber)
    .option("--record", "keep the verdict for the list of gates")
    .option("--caller <label>", "who asks")
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print the verdict as JSON")
    .action(async (run: string, { url, json, regression, ...options }: GateFlags) => {
      // Commander reads `--no-regression` as `regression: false`.
      const verdict = await askGate(client(url), run, {
        ...options,
        ...(regression === false && { noRegression: true }),
      });
      print(json ? JSON.stringify(verdict) : describeVerdict(verdict));
      process.exitCode = verdict.exitCode;
    });
}

type GateFlags = Omit<GateOptions, "noRegression"> & { url?: string; json?: boolean; regression?: boolean };

/** A verdict in lines: each check, then the verdict. */
export function describeVerdict({ checks, verdict, undecided }: GateVerdict): string {
  const lines = checks.map(({ check, passed, detail }) => `${passed ? "ok" : "not ok"}  ${check}: ${detail}`);
  return [...lines, `Gate: ${verdict}.${undecided === null ? "" : ` ${undecided}`}`].join("\n");
}

/** An option that is a number. */
export function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("It must be a number.");
  return number;
}
