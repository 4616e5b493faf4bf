import { type Bus, isBusError } from "@touchstone/bus";
import { suggestExpected as question, routes, type suggestedExpected } from "@touchstone/contracts";
import { AppError, type Handler, parseBody, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { Timings } from "../timings.ts";

/**
 * POST /custom-agent-evaluations/datasets/suggest-expected (completions 3.3). A judge failure is 422 with its reason.
 */
export function suggestExpected({ bus, timings }: { bus: Bus; timings: Timings }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = parseBody((await readJsonObject(call)).value, routes.suggestExpected.body);
    const asked = {
      projectId,
      organizationId: call.identity.organizationId,
      model: filled(sent.judgeModel),
      query: sent.query,
      actualOutput: filled(sent.actualOutput),
      error: filled(sent.error),
    };
    const { suggestion, failure } = await bus
      .request(question, asked, { timeoutMs: timings.resultMs, signal: call.signal })
      .catch((cause) => {
        if (!isBusError(cause)) throw cause;
        throw new AppError("unprocessable", explain(cause.kind), { cause });
      });
    if (suggestion === null) {
      throw new AppError("unprocessable", failure?.message ?? "The judge gave no suggestion.");
    }
    const reply: z.input<typeof suggestedExpected> = suggestion;
    return { status: 200, body: reply };
  };
}

/** A blank text counts as absent. */
const filled = (text: string | null = null): string | null => (text?.trim() ? text : null);

function explain(kind: string): string {
  if (kind === "no_responder" || kind === "disconnected") return "No judge is running.";
  if (kind === "busy" || kind === "timeout") return "The judge did not answer in time.";
  if (kind === "too_large") return "The texts are too large for the judge.";
  return "The judge failed.";
}
