import { type Bus, isBusError } from "@touchstone/bus";
import { deadlines, type generatedRegex, routes, writeRegex } from "@touchstone/contracts";
import { AppError, type Call, type Handler, parseBody, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { PatternMatcher } from "./matching/pattern-matcher.ts";

type Rejected = { regex: string; because: string };

/**
 * POST /agent-monitoring/patterns/generate-regex (completions 9.3): the default judge model writes a regex, which is returned
 * only if patterns accept it. The model gets one chance to fix a refused regex. A judge failure is 422 with its reason.
 */
export function generateRegex({ bus, matcher }: { bus: Bus; matcher: Pick<PatternMatcher, "findRefusal"> }): Handler {
  return async (call) => {
    const looker = { projectId: requireProject(call), signal: call.signal };
    const { description } = parseBody((await readJsonObject(call)).value, routes.generateRegex.body);
    let rejected: Rejected | null = null;
    for (let tries = 0; tries < 2; tries += 1) {
      const { regex, explanation } = await ask(bus, call, { description, rejected });
      const because = await matcher.findRefusal([{ value: regex, caseSensitive: false }], looker);
      if (because === null) {
        const reply: z.input<typeof generatedRegex> = { regex, ...(explanation !== null && { explanation }) };
        return { status: 200, body: reply };
      }
      rejected = { regex, because };
    }
    throw new AppError("unprocessable", `The judge wrote no regex that can be used. ${rejected?.because}`);
  };
}

async function ask(bus: Bus, call: Call, asked: { description: string; rejected: Rejected | null }) {
  const payer = { projectId: requireProject(call), organizationId: call.identity.organizationId };
  const { suggestion, failure } = await bus
    .request(writeRegex, { ...payer, model: null, ...asked }, { timeoutMs: deadlines.resultMs, signal: call.signal })
    .catch((cause) => {
      if (!isBusError(cause)) throw cause;
      throw new AppError("unprocessable", explain(cause.kind), { cause });
    });
  if (suggestion === null) throw new AppError("unprocessable", failure?.message ?? "The judge wrote no regex.");
  return suggestion;
}

function explain(kind: string): string {
  if (kind === "no_responder" || kind === "disconnected") return "No judge is running.";
  if (kind === "busy" || kind === "timeout") return "The judge did not answer in time.";
  return "The judge failed.";
}
