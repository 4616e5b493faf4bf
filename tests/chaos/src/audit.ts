import { isDeepStrictEqual } from "node:util";
import type { HttpClient } from "./http-client.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";

/** The findings of the audit: markers in lists. A clean audit has no entry in any of them. */
export interface Findings {
  /** Acknowledged but missing: not readable by id, not listed, or not in its session. */
  lost: string[];
  /** Stored more than once, or one span id that was answered with two rows. */
  duplicated: string[];
  /** Stored but never sent, or stored although it was refused before any attempt. */
  ghosts: string[];
  /** Stored with other contents than were sent. */
  altered: string[];
  /** Answered, but not with success, 429 or 503. */
  unexpected: string[];
  /** A total that differs from the rows. */
  miscounted: string[];
  /** Roots that monitor never received. */
  unannounced: string[];
  /** Roots that monitor recorded more than once, or that do not exist. */
  misannounced: string[];
}

export interface AuditReport {
  acked: number;
  sent: number;
  refused: number;
  broken: number;
  /** Stored but never acknowledged, which can happen after a lost answer. */
  unknownStored: number;
  findings: Findings;
  /** The processes' last log lines, if something was found. */
  logTails?: string;
}

export interface AuditOptions {
  ledger: Pick<Ledger, "entries">;
  client: HttpClient;
  /** How often monitor recorded each trace of the project. */
  countAnnounced(): Promise<ReadonlyMap<string, number>>;
  /**
   * The longest time until monitor has received everything. Default 60 s: an event that monitor held when it died
   * arrives after 30.
   */
  announceWithinMs?: number;
  /**
   * Whether a 503 was certainly sent before anything was stored. Otherwise the answer to a commit may have been lost.
   */
  refusalsAreCertain?: boolean;
}

interface ShownSpan {
  _id: string;
  name: string;
  spanId?: string;
}

interface Page {
  totalCount: number;
  traces: ShownSpan[];
  nextCursor: string | null;
}

const readersMax = 8;

/**
 * Compares the system's contents with its promises. All processes must run and there must be no writers.
 * Reads only what a client can read, and monitor's record.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { ledger, client } = options;
  const entries = ledger.entries();
  const byMarker = new Map(entries.map((entry) => [entry.marker, entry]));
  const findings: Findings = {
    lost: [],
    duplicated: [],
    ghosts: [],
    altered: [],
    unexpected: [],
    miscounted: [],
    unannounced: [],
    misannounced: [],
  };

  const listed = await readList(client, findings);
  const sessions = new Map<string, ShownSpan[]>();
  await forEach([...new Set(entries.map(({ sessionId }) => sessionId))], async (sessionId) => {
    const session = await client.read<{ spans: ShownSpan[] }>(
      `/ingest/sessions/${encodeURIComponent(sessionId)}/spans`,
    );
    sessions.set(sessionId, session?.spans ?? []);
  });
  const listedByMarker = Map.groupBy(listed, ({ name }) => name);
  const inSessions = Map.groupBy([...sessions.values()].flat(), ({ name }) => name);

  for (const marker of new Set([...listedByMarker.keys(), ...inSessions.keys()])) {
    if (!byMarker.has(marker)) findings.ghosts.push(`${marker} was never sent`);
  }

  let unknownStored = 0;
  await forEach(entries, async (entry) => {
    const rows = inSessions.get(entry.marker) ?? [];
    const roots = listedByMarker.get(entry.marker) ?? [];
    const isAcked = entry.outcomes.some(({ kind }) => kind === "acked");
    noteOutcomes(entry, findings);
    if (rows.length > 1 || roots.length > 1) findings.duplicated.push(`${entry.marker}: ${rows.length} rows`);
    const [row] = rows;
    if (!isAcked) {
      if (row === undefined && roots.length === 0) return;
      unknownStored += 1;
      if (isCertainlyRefused(entry, options)) findings.ghosts.push(`${entry.marker} was refused and is there`);
    } else {
      if (row === undefined) findings.lost.push(`${entry.marker} is not in its session`);
      if (entry.isRoot && roots.length === 0) findings.lost.push(`${entry.marker} is not listed`);
    }
    if (!entry.isRoot && roots.length > 0) findings.altered.push(`${entry.marker} is listed and is no root`);
    if (row !== undefined) await compareDetail(client, entry, row, findings);
  });

  await awaitAnnouncements(options, listed, findings);
  const outcomes = entries.flatMap((entry) => entry.outcomes);
  return {
    acked: entries.filter((entry) => entry.outcomes.some(({ kind }) => kind === "acked")).length,
    sent: entries.length,
    refused: outcomes.filter(({ kind }) => kind === "refused").length,
    broken: outcomes.filter(({ kind }) => kind === "broken").length,
    unknownStored,
    findings,
  };
}

/** Every page of the list; the total of each must be the number of rows. */
async function readList(client: HttpClient, findings: Findings): Promise<ShownSpan[]> {
  const listed: ShownSpan[] = [];
  const totals = new Set<number>();
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page | null = await client.read<Page>(`/ingest/traces?limit=100${query}`);
    if (page === null) throw new Error("there is no list");
    totals.add(page.totalCount);
    listed.push(...page.traces);
    cursor = page.nextCursor;
  } while (cursor !== null);
  for (const total of totals) {
    if (total !== listed.length) findings.miscounted.push(`totalCount ${total}, ${listed.length} rows`);
  }
  return listed;
}

function noteOutcomes(entry: LedgerEntry, findings: Findings): void {
  const rows = new Set<string>();
  for (const outcome of entry.outcomes) {
    if (outcome.kind === "unexpected") {
      findings.unexpected.push(`${entry.marker}: ${outcome.status} ${outcome.body}`);
    }
    if (outcome.kind === "acked" && outcome.traceId !== null) rows.add(outcome.traceId);
  }
  if (rows.size > 1) findings.duplicated.push(`${entry.marker} was answered ${[...rows].join(" and ")}`);
}

/** A 429 is sent before any attempt; a 503 may be the lost answer to a commit, unless the fault excludes that. */
function isCertainlyRefused(entry: LedgerEntry, { refusalsAreCertain = false }: AuditOptions): boolean {
  return entry.outcomes.every(
    (outcome) => outcome.kind === "refused" && (outcome.status === 429 || refusalsAreCertain),
  );
}

async function compareDetail(
  client: HttpClient,
  entry: LedgerEntry,
  row: ShownSpan,
  findings: Findings,
): Promise<void> {
  const named = entry.outcomes.find((outcome) => outcome.kind === "acked" && outcome.traceId !== null);
  const id = named?.kind === "acked" && named.traceId !== null ? named.traceId : row._id;
  if (id !== row._id) findings.altered.push(`${entry.marker} was answered ${id} and is ${row._id}`);
  const detail = await client.read<Record<string, unknown>>(`/ingest/traces/${id}`);
  if (detail === null) {
    findings.lost.push(`${entry.marker} is not readable by its id ${id}`);
    return;
  }
  for (const [member, expected] of Object.entries(entry.shown)) {
    if (!isDeepStrictEqual(detail[member], expected)) {
      findings.altered.push(`${entry.marker}: ${member} is ${JSON.stringify(detail[member])?.slice(0, 200)}`);
    }
  }
}

async function awaitAnnouncements(
  options: AuditOptions,
  listed: readonly ShownSpan[],
  findings: Findings,
): Promise<void> {
  const deadline = Date.now() + (options.announceWithinMs ?? 60_000);
  let announced = await options.countAnnounced();
  while (listed.some(({ _id }) => !announced.has(_id)) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    announced = await options.countAnnounced();
  }
  const ids = new Set(listed.map(({ _id }) => _id));
  for (const { _id, name } of listed) if (!announced.has(_id)) findings.unannounced.push(name);
  for (const [id, times] of announced) {
    if (times > 1) findings.misannounced.push(`${id} was recorded ${times} times`);
    if (!ids.has(id)) findings.misannounced.push(`${id} was announced and is not listed`);
  }
}

async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: readersMax }, worker));
}

/** One line, and the first few of each kind of finding. */
export function describeReport({ findings, logTails, ...counts }: AuditReport): string {
  const lines = [
    Object.entries({
      ...counts,
      lost: findings.lost.length,
      dup: findings.duplicated.length,
      ghost: findings.ghosts.length,
    })
      .map(([name, count]) => `${name} ${count}`)
      .join(", "),
  ];
  for (const [kind, found] of Object.entries(findings)) {
    if (found.length > 0) lines.push(`${kind} (${found.length}): ${found.slice(0, 5).join("; ")}`);
  }
  if (logTails !== undefined) lines.push(logTails);
  return lines.join("\n");
}

/** Everything the audit found, in one list. */
export function listFindings({ findings }: AuditReport): string[] {
  return Object.entries(findings).flatMap(([kind, found]) => (found as string[]).map((text) => `${kind}: ${text}`));
}
