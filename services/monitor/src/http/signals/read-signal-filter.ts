import { limits, signalsQuery } from "@touchstone/contracts";
import { AppError, type Call, isUuid } from "@touchstone/service-kit";
import type { SignalFilter } from "../../signals/signal-store.ts";

const words: Readonly<Record<string, string>> = {
  severity: "severity must be one of: low, medium, high, critical",
  status: "status must be one of: open, reopened, in_review, resolved, archived, dismissed",
  polarity: "polarity must be one of: failure, proper, all",
};

/** The filters of a list of signals; null: an agent that cannot be there. Throws 400 for a value that is none. */
export function readSignalFilter({ query }: Pick<Call, "query">): SignalFilter | null {
  const read = signalsQuery.safeParse(query);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    throw new AppError("bad_request", words[member] ?? `${member} must be given once`, { cause: read.error });
  }
  const { severity = null, status = null, agentId = null, polarity = "failure", limit } = read.data;
  if (agentId !== null && !isUuid(agentId)) return null;
  const asked = limit === undefined ? limits.signalPageDefault : Number(limit);
  if (!Number.isInteger(asked) || asked < 1) throw new AppError("bad_request", "limit must be a positive integer");
  return {
    severity,
    status,
    agentId,
    polarity: polarity === "all" ? null : polarity,
    limit: Math.min(asked, limits.signalPageMax),
  };
}
