import { type Bus, isBusError } from "@touchstone/bus";
import { runScript } from "@touchstone/contracts";
import type { OutboundFetch, OutboundReach } from "@touchstone/service-kit";
import { askExternal } from "./ask-external.ts";
import type { AskedTrace, EvaluatorAnswer, EvaluatorFailure, EvaluatorProgram } from "./evaluator.ts";

/** Runs a custom scorer on a trace. Rejects only with the reason of `signal`, and on a bug. */
export type AskEvaluator = (
  evaluator: { projectId: string; id: string; document: EvaluatorProgram },
  trace: AskedTrace,
  signal: AbortSignal,
) => Promise<{ answer: EvaluatorAnswer } | { failure: EvaluatorFailure }>;

/** More than a script's 8 s (completions 6.2): it may have to wait for a free slot. */
const scriptTimeoutMs = 25_000;

/** External scorers are called from here, through the guarded client; scripts are run by the judge. */
export function createAskEvaluator(dependencies: {
  bus: Bus;
  outbound: OutboundFetch;
  reach: OutboundReach;
}): AskEvaluator {
  const { bus, ...network } = dependencies;
  return async ({ projectId, id, document }, trace, signal) => {
    const { kind, name, url = "", script = "" } = document;
    if (kind === "external") return askExternal(network, { url, id, name, trace }, signal);
    const { input, output, expected = null, metadata, spans } = trace;
    try {
      const reply = await bus.request(
        runScript,
        { projectId, script, input, output, expected, metadata, spans },
        { timeoutMs: scriptTimeoutMs, signal },
      );
      if (reply.result !== null) return { answer: { matches: null, ...reply.result } };
      const { message, isLasting } = reply.failure ?? { message: "The script gave no result.", isLasting: false };
      return { failure: { message, kind: isLasting ? "lasting" : "passing" } };
    } catch (thrown) {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      const isUnavailable = thrown.kind === "no_responder" || thrown.kind === "disconnected" || thrown.kind === "busy";
      if (isUnavailable) return { failure: { message: `No service runs scripts: ${thrown.kind}.`, kind: "away" } };
      if (thrown.kind === "too_large")
        return { failure: { message: "The trace is too large for a script.", kind: "lasting" } };
      return { failure: { message: `The script was not run: ${thrown.kind}.`, kind: "passing" } };
    }
  };
}
