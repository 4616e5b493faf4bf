import type { runScript } from "@touchstone/contracts";
import type { PlaceRequest } from "@touchstone/service-kit";
import type { z } from "zod";
import { type Sandbox, sandboxDefaults } from "./sandbox.ts";

/** The limits of a script (completions 6.2): 8 s. */
export const handlerDefaults = { ...sandboxDefaults, timeoutMs: 8_000 } as const;

type Body = z.output<typeof runScript.body>;
type Reply = z.output<typeof runScript.reply>;

/** Runs the handler of a script; never rejects. */
export type RunHandler = (asked: Body, request: PlaceRequest) => Promise<Reply>;

/** The longest program, including the trace: the several forms it takes must fit into an interpreter's memory. */
const programMaxBytes = 8 * 1024 * 1024;

/** Runs scripts of custom scorers in sandbox processes; the sandbox's limits are {@link handlerDefaults}. */
export function createHandlerRunner(sandbox: Sandbox): RunHandler {
  return async (asked, request) => {
    const program = programOf(asked);
    if (Buffer.byteLength(program) > programMaxBytes) return failed("The trace is too large for a script", true);
    const outcome = await sandbox.evaluate(program, request);
    switch (outcome.kind) {
      case "scored": {
        const { score, name = null, reasoning: reason = null, metadata } = outcome;
        const read = metadata === undefined ? null : JSON.parse(metadata);
        return { result: { score, name, reason, metadata: read }, failure: null };
      }
      case "failed":
        return failed(outcome.message, true);
      case "timeout":
        return failed(`The script did not finish within ${handlerDefaults.timeoutMs} ms`, true);
      case "memory":
        return failed(`The script needed more than ${handlerDefaults.memoryBytes / (1024 * 1024)} MB of memory`, true);
      case "output_too_large":
        return failed("The script returned more than a score may hold", true);
      case "crashed":
        return failed("The script broke the sandbox it ran in", true);
      case "unavailable":
        return failed("The sandbox for scripts could not be started", false);
      case "busy":
        return failed("Too many scripts are waiting", false);
      case "out_of_time":
        return failed("The time was up before the script had run", false);
    }
  };
}

/** The script as the body of a function that returns its handler, independent of its last line. */
function programOf({ script, input, output, expected, metadata, spans }: Body): string {
  const code = `${script}\n;return typeof handler === "function" ? handler : undefined;`;
  return JSON.stringify([code, { input, output, expected, metadata, spans }, "handler"]);
}

const failed = (message: string, isLasting: boolean): Reply => ({ result: null, failure: { message, isLasting } });
