import {
  type EventContract,
  evaluationsReceived,
  experimentItemsRecorded,
  type SettledTrace,
  spansSettled,
  tracesSettled,
} from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { describeRoot } from "../model/describe-root.ts";
import type { ReadSpan } from "../model/read-span.ts";
import { readSettledFacts } from "../model/settled-facts.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import { readSpanSlices } from "../trace-store/reading/span-slices.ts";
import type { DueRow } from "../trace-store/settling/due-rows.ts";
import {
  type Announcement,
  buildPutOff,
  buildSettling,
  type DueTrace,
  readDueTraces,
} from "../trace-store/settling/due-traces.ts";
import { readNestedItems } from "../trace-store/settling/nested-items.ts";
import { readExperimentItem } from "./experiment-item.ts";
import { readEvaluations } from "./received-evaluations.ts";
import { readSettledChildren } from "./settled-children.ts";

/** Announcements in one event, far below the message limit of the bus. */
const announcedCharsMax = 1024 * 1024;

/**
 * Announces due OTel traces: their roots as currently shown, the items of experiments that these are, the evaluations from others, and
 * their children if `settlesChildren` (decision 30). After a crash it may announce again, but loses nothing. Returns the number of
 * settled traces.
 */
export async function settleDueTraces(
  database: Database,
  rows: readonly DueRow[],
  { settlesChildren, logger }: { settlesChildren: boolean; logger: Logger },
): Promise<number> {
  const due = await readDueTraces(database, rows);
  try {
    return await settle(database, due, settlesChildren);
  } catch (err) {
    logger.warn({ err }, "some trace could not be announced; announcing one by one");
  }
  let settled = 0;
  for (const trace of due) {
    try {
      settled += await settle(database, [trace], settlesChildren);
    } catch (err) {
      const { projectId, traceKey } = trace;
      logger.error({ err, projectId, traceKey }, "a trace could not be announced; trying again in a minute");
      await database.query(buildPutOff(trace));
    }
  }
  return settled;
}

async function settle(database: Database, due: readonly DueTrace[], settlesChildren: boolean): Promise<number> {
  let announcements: Announcement[] = [];
  let chars = 0;
  const announce = async (more: Announcement): Promise<void> => {
    if (chars > 0 && chars + more.item.length > announcedCharsMax) {
      await database.query(buildSettling(due, announcements, false));
      announcements = [];
      chars = 0;
    }
    announcements.push(more);
    chars += more.item.length;
  };
  for (const [projectId, traces] of Map.groupBy(due, (trace) => trace.projectId)) {
    const read: Queryable["query"] = (statement) => database.readScoped([projectId], statement);
    for await (const { trace, root } of readRoots(read, projectId, traces)) {
      const responseId = trace.responseIds[root.id];
      const settled = {
        ...(await describeSettled(projectId, root)),
        ...(responseId !== undefined && { responseId }),
        stateAt: new Date(trace.settlesAt).toISOString(),
      };
      await announce(announcementOf(trace, tracesSettled, "traces", settled));
      const item = await readExperimentItem(projectId, root);
      if (item !== null) await announce(announcementOf(trace, experimentItemsRecorded, "items", item));
    }
    for await (const { trace, span } of readNestedItems(read, projectId, traces)) {
      const item = await readExperimentItem(projectId, span);
      if (item !== null) await announce(announcementOf(trace, experimentItemsRecorded, "items", item));
    }
    if (settlesChildren) {
      for await (const { trace, child } of readSettledChildren(read, projectId, traces)) {
        await announce(announcementOf(trace, spansSettled, "spans", await describeSettled(projectId, child)));
      }
    }
    for await (const { trace, evaluation } of readEvaluations(read, projectId, traces)) {
      await announce(announcementOf(trace, evaluationsReceived, "evaluations", evaluation));
    }
  }
  if (due.length === 0) return 0;
  const { rows } = await database.query<{ settled: number }>(buildSettling(due, announcements, true));
  return rows[0]?.settled ?? 0;
}

function announcementOf(trace: DueTrace, event: EventContract, member: string, item: object): Announcement {
  return { trace, subject: event.subject, member, item: JSON.stringify(item) };
}

async function* readRoots(
  read: Queryable["query"],
  projectId: string,
  traces: readonly DueTrace[],
): AsyncIterable<{ trace: DueTrace; root: ReadSpan }> {
  const traceOf = new Map(traces.flatMap((trace) => trace.rootIds.map((id) => [id, trace])));
  for await (const slice of readSpanSlices(read, { projectId, ids: [...traceOf.keys()], metadata: false })) {
    for (const root of slice) yield { trace: traceOf.get(root.id) as DueTrace, root };
  }
}

async function describeSettled(projectId: string, root: ReadSpan): Promise<SettledTrace> {
  const { error, output, toolCalls } = readBodyMembers(await decodeSpanBody(root.body), [
    "error",
    "output",
    "toolCalls",
  ]);
  const hasError = error !== null && error !== '""';
  return {
    ...(JSON.parse(describeRoot(projectId, root)) as SettledTrace),
    ...readSettledFacts({ ...root, hasError, output, toolCalls }),
    ...(root.traceKey !== null && { otelTraceId: root.traceKey.replaceAll("-", "") }),
    ...(root.spanId !== null && { otelSpanId: root.spanId }),
  };
}
