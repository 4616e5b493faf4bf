import { createSandbox, type Sandbox, type SandboxOptions, sandboxDefaults } from "../../src/scorers/code/sandbox.ts";
import { type CodeScope, createCodeScorer } from "../../src/scorers/code/score-code.ts";
import { createTestLogger } from "../providers/judge-setup.ts";

/** Limits that are met sooner than in production. */
export const shortLimits = { timeoutMs: 400, killGraceMs: 400, memoryBytes: 24 * 1024 * 1024 };

export const scope: CodeScope = {
  input: "input",
  output: "output",
  expected: "expected",
  toolCalls: [{ name: "search", input: { q: 1 } }],
  scores: { rating: 7, judges: { Tone: 7, Facts: 4 } },
};

/** A sandbox as production has it, with limits of the test's own. */
export function setUpSandbox(options: Partial<SandboxOptions> = {}) {
  const { logger, log } = createTestLogger();
  const sandbox: Sandbox = createSandbox({ ...sandboxDefaults, ...shortLimits, processesMax: 1, logger, ...options });
  const scoreCode = createCodeScorer(sandbox);
  const never = new AbortController().signal;
  return {
    sandbox,
    scoreCode,
    log,
    /** Runs one scorer on an ordinary scope, or on one of the test's own. */
    async score(code: string, own: Partial<CodeScope> = {}, { group = "p", signal = never } = {}) {
      const [row] = await scoreCode([{ name: "s", code }], { ...scope, ...own }, { group, signal });
      if (row === undefined) throw new Error("a scorer without a row");
      return row;
    },
  };
}
