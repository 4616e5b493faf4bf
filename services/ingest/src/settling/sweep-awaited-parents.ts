import { type Database, sqlStateOf, type Transaction } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { splitByBytes } from "../assembly/split-by-bytes.ts";
import { describeRoot } from "../model/describe-root.ts";
import { agentIdOf } from "../model/ids.ts";
import { writeSettledFacts } from "../model/settled-facts.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import { promotedFlag, remoteParentFlag, unmonitoredFlag } from "../model/span-row.ts";
import { toTokenList } from "../model/token-list.ts";
import { rootText } from "../search/search-text.ts";
import {
  buildRest,
  buildServed,
  type ChildRecord,
  putOffChild,
  takeChildren,
} from "../trace-store/settling/awaited-parents.ts";
import type { DueRow } from "../trace-store/settling/due-rows.ts";
import { quotaSpent } from "../trace-store/writing/span-insert.ts";
import { buildRowChanges, type ChangedRow } from "../trace-store/writing/trace-write.ts";
import type { WriteContext } from "../trace-store/writing/write-traces.ts";

/**
 * Handles REST children whose time to wait for a parent is over: a child without parent is promoted, a promoted one
 * whose parent arrived is demoted, and one with a parent stops waiting (otlp 6). Over quota, promotions wait until the
 * next day. A child that fails is put off, and the others go on. Returns the number of due children.
 */
export async function sweepAwaitedParents(
  database: Database,
  due: readonly DueRow[],
  context: WriteContext,
  logger: Logger,
): Promise<number> {
  for (const [projectId, children] of Map.groupBy(due, (row) => row.projectId)) {
    const ids = children.map(({ key }) => key);
    const sweep = (some: readonly string[]): Promise<void> =>
      database.scoped([projectId], (transaction) => sweepChildren(transaction, projectId, some, context));
    try {
      await sweep(ids);
    } catch {
      // One by one, to find the child that fails.
      for (const id of ids) {
        await sweep([id]).catch(async (err) => {
          const isOverQuota = sqlStateOf(err) === quotaSpent;
          if (!isOverQuota) {
            logger.error({ err, projectId, spanId: id }, "a span could not be promoted; trying again in a minute");
          }
          // Fails if the database is unavailable, which ends the turn.
          await putOffChild(database, projectId, id, isOverQuota);
        });
      }
    }
  }
  return due.length;
}

async function sweepChildren(
  transaction: Transaction,
  projectId: string,
  ids: readonly string[],
  { shard, quota }: WriteContext,
): Promise<void> {
  const changed: ChangedRow[] = [];
  const waiting: string[] = [];
  const served: string[] = [];
  for (const child of await takeChildren(transaction, projectId, ids)) {
    const isPromoted = child.is_root === true && (child.flags & promotedFlag) !== 0;
    const isOrphan = child.is_root === false && !child.has_parent;
    if (isOrphan && child.body !== null) changed.push(await promote(projectId, child, child.body));
    if (isPromoted && child.has_parent) changed.push(demote(projectId, child));
    // A promoted child keeps waiting as long as it is stored.
    (isOrphan || (isPromoted && !child.has_parent) ? waiting : served).push(child.child_id);
  }
  await transaction.pipeline([
    ...[...splitByBytes(changed, bytesOf, eventBytesMax)].map((part) => buildRowChanges(part, { shard, quota })),
    buildRest(projectId, waiting),
    buildServed(projectId, served),
  ]);
}

/** Of one announcement: the bus takes 8 MiB. */
const eventBytesMax = 1024 * 1024;
const bytesOf = ({ event, settled }: ChangedRow): number => (event?.length ?? 0) + (settled?.length ?? 0);

async function promote(projectId: string, child: ChildRecord, body: Buffer): Promise<ChangedRow> {
  const { name, model, session_id: sessionId, child_id: id } = child;
  const agentId = agentIdOf(projectId, name);
  const doc = await rootText(
    { id, name, model, sessionId, otelTraceId: null },
    { own: body, input: null, output: null },
  );
  const { flags, source, created_at: createdAt } = child;
  const event = describeRoot(projectId, { id, agentId, name, createdAtMs: createdAt.getTime(), source, flags });
  const change = { ...shown(projectId, child), isRoot: true, agentId, agentName: name };
  const { output, toolCalls } = readBodyMembers(await decodeSpanBody(body), ["output", "toolCalls"]);
  const { framework, latency_ms: latencyMs, has_error: hasError } = child;
  const facts = writeSettledFacts({ sessionId, framework, model, latencyMs, hasError, output, toolCalls });
  const settled = (flags & unmonitoredFlag) === 0 ? facts : null;
  return { change: { ...change, flags: change.flags | promotedFlag }, doc, event, settled };
}

function demote(projectId: string, child: ChildRecord): ChangedRow {
  return { change: shown(projectId, child), doc: null, event: null, settled: null };
}

/** The columns of a child that is not promoted. */
function shown(projectId: string, child: ChildRecord): ChangedRow["change"] {
  return {
    projectId,
    id: child.child_id,
    isRoot: false,
    name: child.name,
    model: child.model,
    sessionId: child.session_id,
    agentId: null,
    agentName: null,
    hasError: child.has_error,
    aggTokens: toTokenList(child.agg_tokens ?? []),
    netTokens: toTokenList(child.net_tokens ?? []),
    tools: child.tools,
    derived: null,
    flags: child.flags & (remoteParentFlag | unmonitoredFlag),
    before: { is_root: child.is_root === true, created_at: child.created_at, source: child.source },
    isRewritten: false,
  };
}
