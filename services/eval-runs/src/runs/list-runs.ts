import { isUuid, limits } from "@touchstone/contracts";
import {
  AppError,
  endOfPage,
  firstOf,
  type Handler,
  parseIsoTime,
  readLimit,
  readParameter,
  requireProject,
} from "@touchstone/service-kit";
import { type Query, readAllOrNone, readFlag, readOneOf } from "../queries/read-query.ts";
import { type CountingDependencies, countRuns } from "./count-runs.ts";
import type { KnownIntervals } from "./known-intervals.ts";
import { renderListedRun } from "./render-run.ts";
import type { RunCounts } from "./run-counter.ts";
import { readRunCursor, writeRunCursor } from "./run-position.ts";
import type { RunListQuery, RunStore } from "./run-store.ts";
import type { RunShower } from "./show-runs.ts";
import { readStored } from "./verdict-query.ts";

/** Runs counted together: a page may have many runs with many cases each. */
const countedAtOnce = 10;

/** GET /custom-agent-evaluations/runs (completions 5.2): newest first, without results. */
export function listRuns({
  runs,
  shower,
  intervals,
  ...counting
}: CountingDependencies & {
  runs: RunStore;
  shower: RunShower;
  intervals: KnownIntervals;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { ...readQuery(call.query), makeRoom: call.makeRoom };
    const withCaseStatistics = readAllOrNone(call.query, "caseStatistics");
    const [found, totalCount] = await Promise.all([runs.list(projectId, query), runs.count(projectId, query.filter)]);
    const texts: string[] = [];
    let left: number = limits.listBytesMax;
    // Of the rows: a run that was deleted meanwhile has no text.
    let taken = 0;
    // The counts of a run with many cases may be large, too.
    for (let from = 0; from < found.rows.length && left > 0; from += countedAtOnce) {
      const rows = found.rows.slice(from, from + countedAtOnce);
      const part = new Map((await shower.show(projectId, rows)).map((shown) => [shown.stored.id, shown]));
      const listed = [...part.values()].map(({ stored, plan }) => ({ id: stored.id, plan }));
      const counts = await countRuns(counting, projectId, listed);
      for (const { id } of rows) {
        const shown = part.get(id);
        if (shown === undefined) {
          taken += 1;
          continue;
        }
        const counted = counts.get(shown.stored.id) as RunCounts;
        const interval = await intervals.estimate(projectId, shown.stored, counted.caseRatings, call.signal);
        const text = renderListedRun(shown, counted, interval, withCaseStatistics);
        left -= text.length;
        if (left < 0 && texts.length > 0) break;
        texts.push(text);
        taken += 1;
      }
    }
    const page = firstOf(found, taken);
    const rest = { totalCount, ...endOfPage(page, writeRunCursor) };
    return { status: 200, body: `{"runs":[${texts.join(",")}],${JSON.stringify(rest).slice(1)}` };
  };
}

const statuses = ["in_progress", "completed", "failed"] as const;
const noRun = "00000000-0000-0000-0000-000000000000";

function readQuery(query: Query): Omit<RunListQuery, "makeRoom"> {
  const datasetId = readParameter(query, "datasetId");
  return {
    limit: readLimit(query, { byDefault: limits.runPageDefault, max: limits.runPageMax }),
    cursor: readRunCursor(query),
    filter: {
      // A malformed dataset id matches no runs.
      datasetId: datasetId === null || isUuid(datasetId) ? datasetId : noRun,
      status: readOneOf(query, "status", statuses),
      runSource: readStored(query, "runSource"),
      subject: readStored(query, "subject"),
      version: readStored(query, "version"),
      isJudged: readFlag(query, "judged"),
      from: readInstant(query, "from"),
      to: readInstant(query, "to"),
      search: readStored(query, "search"),
    },
  };
}

function readInstant(query: Query, name: string): Date | null {
  const text = readParameter(query, name);
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null) throw new AppError("bad_request", `${name} must be an ISO 8601 date`);
  return new Date(atMs);
}
