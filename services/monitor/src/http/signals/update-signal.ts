import { changedSignal } from "@touchstone/contracts";
import { AppError, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import type { SignalChange, SignalStore } from "../../signals/signal-store.ts";
import { showSignals } from "./show-signals.ts";
import { signalId, signalNotFound } from "./signal-id.ts";

const words: Readonly<Record<string, string>> = {
  status: "status must be one of: open, reopened, in_review, resolved, archived, dismissed",
  severity: "severity must be one of: low, medium, high, critical",
  reviewStatus: "reviewStatus must be a string of at most 200 characters",
};

/** PATCH /monitor/signals/{signalId} (completions 9.4): triage; only what is sent changes. */
export function updateSignal({ signals, ingest }: { signals: SignalStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const change = readChange((await readJsonObject(call)).value);
    const id = signalId(call);
    if (!(await signals.change(projectId, id, change))) signalNotFound();
    const stored = (await signals.find(projectId, id)) ?? signalNotFound();
    const [signal] = await showSignals(ingest, projectId, [stored]);
    return { status: 200, body: { signal } };
  };
}

function readChange(sent: Readonly<Record<string, unknown>>): SignalChange {
  const read = changedSignal.safeParse(sent);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    throw new AppError("bad_request", words[member] ?? `${member} cannot be taken`, { cause: read.error });
  }
  const { reviewStatus } = read.data;
  if (typeof reviewStatus === "string" && (!reviewStatus.isWellFormed() || reviewStatus.includes("\0"))) {
    throw new AppError("bad_request", "reviewStatus must be text without NUL");
  }
  return Object.fromEntries(Object.entries(read.data).filter(([, value]) => value !== undefined));
}
