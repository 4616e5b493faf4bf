import { type signalFeedbackReply, submittedSignalFeedback } from "@touchstone/contracts";
import { AppError, type Handler, isUuid, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { signalId, signalNotFound } from "./render-signal.ts";
import type { SignalStore } from "./signal-store.ts";

const textMaxChars = 10_000;

const words: Readonly<Record<string, string>> = {
  occurrenceId: "occurrenceId must be a string",
  originalScore: "originalScore must be a number",
  correctedScore: "correctedScore must be a number",
  queuedForAutotune: "queuedForAutotune must be a boolean",
};

/** POST /agent-monitoring/signals/{signalId}/feedback (completions 9.4). */
export function createSignalFeedback({ signals }: { signals: SignalStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = readFeedback((await readJsonObject(call)).value);
    const stored = (await signals.addFeedback(projectId, { signalId: signalId(call), ...sent })) ?? signalNotFound();
    const { id, createdAt, ...shown } = stored;
    const body: z.input<typeof signalFeedbackReply> = {
      feedback: { _id: id, ...shown, createdAt: createdAt.toISOString() },
    };
    return { status: 201, body };
  };
}

function readFeedback(sent: Readonly<Record<string, unknown>>) {
  const { metric, rationale } = sent;
  if (!isText(metric) || !isText(rationale)) throw new AppError("bad_request", "metric and rationale are required");
  const read = submittedSignalFeedback.safeParse(sent);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    throw new AppError("bad_request", words[member] ?? `${member} cannot be taken`, { cause: read.error });
  }
  const { occurrenceId, originalScore, correctedScore, queuedForAutotune } = read.data;
  if (typeof occurrenceId === "string" && !isUuid(occurrenceId)) {
    throw new AppError("bad_request", "occurrenceId must be the id of an occurrence");
  }
  for (const text of [metric, rationale]) {
    if (text.length > textMaxChars || !text.isWellFormed() || text.includes("\0")) {
      throw new AppError("bad_request", `metric and rationale must be text of at most ${textMaxChars} characters`);
    }
  }
  return {
    metric,
    rationale,
    occurrenceId: occurrenceId ?? null,
    originalScore: originalScore ?? null,
    correctedScore: correctedScore ?? null,
    queuedForAutotune: queuedForAutotune ?? false,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
