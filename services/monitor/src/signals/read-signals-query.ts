import { isUuid, limits, signalStatus, signalsQuery } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";
import { readCappedCount } from "../model/read-page.ts";
import type { SignalFilter, SignalPage, SignalPosition } from "./signal-reader.ts";
import type { SignalStatus } from "./signal-row-reader.ts";

const words: Readonly<Record<string, string>> = {
  severity: "severity must be one of: low, medium, high, critical",
  polarity: "polarity must be one of: failure, proper, all",
  view: "view must be one of: full, summary",
};

/** The filter and the page of a list of signals. A null filter names an agent that cannot exist. */
export function readSignalsQuery({ query }: Pick<Call, "query">): { filter: SignalFilter | null; page: SignalPage } {
  const read = signalsQuery.safeParse(query);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    throw new AppError("bad_request", words[member] ?? `${member} must be given once`, { cause: read.error });
  }
  const { severity = null, status, agentId = null, polarity = "failure", search, view, limit, cursor } = read.data;
  const statuses = status === undefined ? null : readStatuses(status);
  const page = {
    limit: readCappedCount("limit", limit, { byDefault: limits.signalPageDefault, max: limits.signalPageMax }),
    after: cursor === undefined || cursor === "" ? null : readPosition(cursor),
    withOccurrences: view !== "summary",
  };
  if (agentId !== null && !isUuid(agentId)) return { filter: null, page };
  const filter = {
    severity,
    statuses,
    agentId,
    polarity: polarity === "all" ? null : polarity,
    search: readSearch(search ?? ""),
  };
  return { filter, page };
}

/** The cursor that {@link readSignalsQuery} parses. */
export const writeCursor = ({ micros, id }: SignalPosition): string => `${micros}.${id}`;

/** Throws 400 for another text. */
export function readPosition(cursor: string): SignalPosition {
  const [micros = "", id = ""] = cursor.split(".");
  // Sixteen digits suffice until the year 2286.
  if (!/^\d{1,16}$/.test(micros) || !isUuid(id)) throw new AppError("bad_request", "Unknown cursor");
  return { micros, id };
}

function readStatuses(status: string): SignalStatus[] {
  const read = signalStatus.array().safeParse(status.split(","));
  if (read.success) return [...new Set(read.data)];
  const sentence = `status must be one of: ${signalStatus.options.join(", ")}`;
  throw new AppError("bad_request", sentence, { cause: read.error });
}

function readSearch(term: string): string | null {
  const found = term.slice(0, limits.searchTermMaxChars).replaceAll("\0", "").toWellFormed().trim();
  return found === "" ? null : found;
}
