import { formatDuration, formatShare } from "../ui/format.ts";

/** How a judge is attached to live traffic. */
export interface LiveProfile {
  enabled: boolean;
  sampleRate: number;
  scope?: "trace" | "session" | undefined;
  idleSeconds?: number | undefined;
  scopeMode?: "all" | "selected" | undefined;
  agentIds?: readonly string[] | undefined;
}

/** The live traffic that a judge rates: `25% of all traces`, `every session after 2 min of silence`, `runs only`. */
export function describeLive(online: LiveProfile | null): string {
  if (online === null) return "runs only";
  const { sampleRate, scope = "trace", scopeMode = "all", agentIds = [], idleSeconds = 0 } = online;
  const isSession = scope === "session";
  const what = isSession ? "session" : "trace";
  const share = sampleRate >= 1 ? `every ${what}` : `${formatShare(sampleRate, sampleRate < 0.01 ? 1 : 0)} of ${what}s`;
  const whose = scopeMode === "selected" ? ` of ${agentIds.length} ${agentIds.length === 1 ? "agent" : "agents"}` : "";
  const when = isSession ? ` after ${formatDuration(idleSeconds * 1_000)} of silence` : "";
  return `${share}${whose}${when}`;
}

/** As {@link describeLive}, for a group: no badge beside it shows that it is paused. */
export function describeGroupLive(online: LiveProfile | null): string {
  return `${describeLive(online)}${online !== null && !online.enabled ? ", paused" : ""}`;
}

interface Listed {
  name: string;
  seeded: boolean;
  online: LiveProfile | null;
}

/** Active judges first, then paused ones, the user's own, the built-in ones; by name within each. */
export function orderJudges<Judge extends Listed>(judges: readonly Judge[]): Judge[] {
  const place = ({ online, seeded }: Listed): number => {
    if (online?.enabled) return 0;
    if (!seeded) return online === null ? 2 : 1;
    return 3;
  };
  return judges.toSorted((left, right) => place(left) - place(right) || left.name.localeCompare(right.name));
}
