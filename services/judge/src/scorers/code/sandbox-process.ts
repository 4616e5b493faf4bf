import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { encodeFrame } from "./child/frames.ts";
import { type EvaluationLimits, type EvaluationOutcome, readyFrame } from "./child/protocol.ts";
import { listenToProcess } from "./listen-to-process.ts";
import { startConfined } from "./start-confined.ts";

/** An outcome as the judge reports it: the process itself cannot report too much output. */
export type SandboxOutcome = EvaluationOutcome | { kind: "output_too_large" };

/** A running sandbox process. It evaluates one program at a time; the caller must ensure that. */
export interface SandboxProcess {
  pid: number;
  /** Always resolves, soon after the limit at the latest; rejects only when the signal aborts, with its reason. */
  evaluate(program: string, signal: AbortSignal): Promise<SandboxOutcome>;
  /** Whether it has evaluated nothing yet. */
  isNew(): boolean;
  /** False once the process has ended, or is due for replacement after much work. */
  isFit(): boolean;
  /** Ends the process at once. */
  kill(): void;
}

export interface SandboxProcessOptions extends EvaluationLimits {
  /** The time after the limit when the process is killed if it has not answered. */
  killGraceMs: number;
  /** The process is replaced after this number of evaluations. */
  evaluationsMax: number;
  dropUser: boolean;
}

/** The process did not start; the message is for the log. */
export class SandboxStartError extends Error {
  override readonly name = "SandboxStartError";
}

const startTimeoutMs = 15_000;
/** The process is replaced after this evaluation time: far below the kernel's limit on its CPU. */
const workMaxMs = 20_000;
const startErrorMaxChars = 2_000;

const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("scored"),
    score: z.number().nullable(),
    reasoning: z.string().optional(),
    name: z.string().optional(),
    metadata: z.string().optional(),
  }),
  z.object({ kind: z.literal("failed"), message: z.string() }),
  z.object({ kind: z.literal("timeout") }),
  z.object({ kind: z.literal("memory") }),
  z.object({ kind: z.literal("crashed") }),
]);

/** Starts a process and waits until it can evaluate. Rejects with a {@link SandboxStartError}. */
export async function startSandboxProcess(options: SandboxProcessOptions): Promise<SandboxProcess> {
  const own = await mkdtemp(path.join(tmpdir(), "touchstone-scorer-")).catch(() => null);
  try {
    return await start(options, own ?? "/");
  } finally {
    // A removed folder remains the process's working folder, and nothing can be created in it.
    if (own !== null) await rmdir(own).catch(() => {});
  }
}

async function start(options: SandboxProcessOptions, folder: string): Promise<SandboxProcess> {
  const child = await startConfined(options, { folder, dropUser: options.dropUser });
  // Against its types, Node creates no streams when it has no descriptors left for them.
  if (child.stdout === undefined) throw new SandboxStartError("It could not be started: too many open files.");
  const answers = listenToProcess(child);
  let failure = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (failure.length < startErrorMaxChars) failure += text;
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
  const first = await answers.next();
  clearTimeout(timer);
  const { pid } = child;
  if (first.kind !== "frame" || first.text !== readyFrame || pid === undefined) {
    child.kill("SIGKILL");
    const reason = first.kind === "ended" ? first.reason : "it does not speak as it should";
    throw new SandboxStartError(`${reason} ${failure.slice(0, startErrorMaxChars)}`.trim());
  }
  let evaluations = 0;
  let workMs = 0;
  let isKilled = false;
  const kill = (): void => {
    isKilled = true;
    child.kill("SIGKILL");
  };

  return {
    pid,
    async evaluate(program, signal) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      let isOverdue = false;
      const killTimer = setTimeout(() => {
        isOverdue = true;
        kill();
      }, options.timeoutMs + options.killGraceMs);
      // The requester is gone: ending the process saves CPU.
      signal.addEventListener("abort", kill, { once: true });
      try {
        child.stdin.write(encodeFrame(program));
        const answer = await answers.next();
        signal.throwIfAborted();
        if (answer.kind === "frame") return readOutcome(answer.text) ?? giveUp();
        if (isOverdue) return { kind: "timeout" };
        return { kind: answer.tooLarge ? "output_too_large" : "crashed" };
      } finally {
        clearTimeout(killTimer);
        signal.removeEventListener("abort", kill);
        evaluations += 1;
        workMs += performance.now() - startedAt;
      }
    },
    isNew: () => evaluations === 0,
    // A killed process is alive for a moment, and its last answer may still arrive.
    isFit: () => !isKilled && !answers.hasEnded() && evaluations < options.evaluationsMax && workMs < workMaxMs,
    kill,
  };

  function giveUp(): SandboxOutcome {
    kill();
    return { kind: "crashed" };
  }
}

function readOutcome(text: string): EvaluationOutcome | null {
  try {
    const { data } = outcomeSchema.safeParse(JSON.parse(text));
    if (data === undefined) return null;
    if (data.kind !== "scored") return data;
    const { kind, score, reasoning, name, metadata } = data;
    return {
      kind,
      score,
      ...(reasoning !== undefined && { reasoning }),
      ...(name !== undefined && { name }),
      ...(metadata !== undefined && { metadata }),
    };
  } catch {
    return null;
  }
}
