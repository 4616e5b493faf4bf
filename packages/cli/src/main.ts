#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Touchstone } from "@touchstone/sdk";
import { Command, CommanderError } from "commander";
import { addDoctor } from "./doctor.ts";
import { addEval } from "./eval/command.ts";
import { addExport } from "./export.ts";
import { addGate } from "./gate.ts";
import { addImport } from "./import.ts";
import { addMcp } from "./mcp.ts";
import { exitCodes, type Surroundings } from "./surroundings.ts";
import { addTraces } from "./traces.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const interruptionMs = 2_000;
const interruption = new AbortController();
const surroundings: Surroundings = {
  client: (url) => new Touchstone({ url }),
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
  isTerminal: process.stderr.isTTY === true && process.env.CI === undefined,
  interrupted: interruption.signal,
  environment: process.env,
};

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort(new Error("Interrupted."));
    // What does not end by itself.
    setTimeout(() => process.exit(exitCodes.interrupted), interruptionMs).unref();
  });
}
// A reader such as `head` that has enough is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const program = new Command("touchstone")
  .description("Evaluates AI agents, asks gates, reads traces, moves data and checks a Touchstone installation.")
  .version(version)
  // Options belong to the command that they follow: `import` and `import langfuse` have some of the same names.
  .enablePositionalOptions()
  .addHelpText(
    "after",
    "\nTOUCHSTONE_URL and TOUCHSTONE_API_KEY name the installation and the key of the project.\nExit codes: 0 passed, 1 failed, 2 could not be asked, 3 undecided.",
  );
for (const add of [addEval, addGate, addTraces, addExport, addImport, addDoctor, addMcp]) add(program, surroundings);
overrideExits(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and the version are printed by an exception of code 0; a wrong option is code 1 there.
    process.exitCode = error.exitCode === 0 ? exitCodes.passed : exitCodes.notAsked;
  } else {
    surroundings.note(error instanceof Error ? error.message : String(error));
    process.exitCode = interruption.signal.aborted ? exitCodes.interrupted : exitCodes.notAsked;
  }
}
// A task of the user may have left timers or connections: the command has ended all the same.
process.stdout.write("", () => process.exit());

function overrideExits(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) overrideExits(child);
}
