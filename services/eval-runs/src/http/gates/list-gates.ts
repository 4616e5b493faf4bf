import type { recordedGates } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { GateStore } from "../../gates/gate-store.ts";
import { requireProject } from "../require-project.ts";

/** GET /evaluate/ci/gates (completions 5.6): the verdicts that were kept, newest first. */
export function listGates({ gates }: { gates: GateStore }): Handler {
  return async (call) => {
    const recorded = await gates.listRecorded(requireProject(call));
    const reply: z.input<typeof recordedGates> = {
      gates: recorded.map(({ id, gate, createdAt, ...kept }) => ({
        _id: id,
        ...kept,
        averageRating: gate.averageRating,
        baselineAverage: gate.baselineAverage,
        checks: gate.checks,
        createdAt: createdAt.toISOString(),
      })),
    };
    return { status: 200, body: reply };
  };
}
