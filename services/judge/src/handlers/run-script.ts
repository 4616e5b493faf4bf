import type { Answering, Bus } from "@touchstone/bus";
import { runScript } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { limitCall } from "../providers/limit-call.ts";
import type { RunHandler } from "../scorers/code/run-handler.ts";

/** Answers `svc.judge.run-script.v1` (completions 6.2). Always replies: a result, or why there is none. */
export function answerRunScript(
  bus: Bus,
  { runHandler, clock }: { runHandler: RunHandler; clock: Clock },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    runScript,
    (body, call) => limitCall(call, body, clock, (limited) => runHandler(body, limited)),
    options,
  );
}
