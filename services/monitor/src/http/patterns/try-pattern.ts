import type { Bus } from "@touchstone/bus";
import { limits } from "@touchstone/contracts";
import {
  type Answer,
  AppError,
  type Clock,
  createFairLimit,
  type Handler,
  isUuid,
  type JsonMembers,
  readJsonObject,
  requireProject,
  TooManyWaitingError,
} from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import type { PatternMatcher } from "../../patterns/matching/pattern-matcher.ts";
import { composePatternDocument, requireRegexes } from "../../patterns/pattern-document.ts";
import { tryPattern as runTrial } from "../../patterns/try-pattern.ts";
import type { NewestTraces } from "../../traces/newest-traces.ts";

const hourMs = 3_600_000;
const windowsMs: ReadonlyMap<unknown, number> = new Map([
  ["24h", 24 * hourMs],
  ["7d", 7 * 24 * hourMs],
  ["30d", 30 * 24 * hourMs],
]);

/** Longest that a trial takes: what is left then is told. */
const trialMs = 60_000;
/** Trials of one replica at a time, of which one project has half: each reads up to `limits.triedTracesMax` traces. */
const trials = { places: 4, placesPerGroupMax: 2, waitingMax: 0 };

/**
 * POST /agent-monitoring/patterns/dry-run (completions 9.3): tries a pattern on traces of the project and stores nothing.
 * Its name may be missing, its sample and whether it is enabled do not count, its agents do.
 */
export function tryPattern(dependencies: {
  ingest: Pick<IngestClient, "readTrace">;
  newestTraces: NewestTraces;
  matcher: PatternMatcher;
  bus: Bus;
  clock: Clock;
}): Handler {
  const { newestTraces, matcher, clock } = dependencies;
  const inHand = createFairLimit(trials);

  async function choose(projectId: string, sent: JsonMembers, agentIds: readonly string[] | null): Promise<string[]> {
    const { traceIds, window, limit } = sent;
    if (traceIds !== undefined && traceIds !== null) return readTraceIds(traceIds);
    const since = readWindow(window, clock.now());
    return newestTraces.list(projectId, { since, agentIds: agentIds?.filter(isUuid) ?? null, limit: readLimit(limit) });
  }

  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const pattern = composePatternDocument({ ...sent, name: sent.name ?? "Dry run" }, null);

    async function tryOut(): Promise<Answer> {
      await requireRegexes(pattern, { matcher, projectId, signal: call.signal });
      const traceIds = await choose(projectId, sent, pattern.scopeMode === "selected" ? pattern.agentIds : null);
      const { organizationId } = call.identity;
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(trialMs)]);
      const trial = await runTrial(dependencies, { projectId, organizationId, pattern, traceIds }, signal);
      return { status: 200, body: trial };
    }

    return inHand.run({ group: projectId, signal: call.signal }, tryOut).catch((thrown: unknown) => {
      if (!(thrown instanceof TooManyWaitingError)) throw thrown;
      throw new AppError("service_unavailable", "Too many patterns are being tried at the moment; retry.");
    });
  };
}

function readTraceIds(value: unknown): string[] {
  const isFit = Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === "string");
  if (!isFit) throw new AppError("bad_request", "traceIds must be an array of strings");
  if (value.length > limits.triedTracesMax) {
    throw new AppError("bad_request", `traceIds must have at most ${limits.triedTracesMax} entries`);
  }
  return value;
}

function readWindow(value: unknown, now: number): Date | null {
  if (value === undefined || value === null) return null;
  const windowMs = windowsMs.get(value);
  if (windowMs === undefined) throw new AppError("bad_request", "window must be one of: 24h, 7d, 30d");
  return new Date(now - windowMs);
}

function readLimit(value: unknown): number {
  if (value === undefined || value === null) return limits.triedTracesDefault;
  const isFit = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limits.triedTracesMax;
  if (!isFit) throw new AppError("bad_request", `limit must be an integer between 1 and ${limits.triedTracesMax}`);
  return value;
}
