import type { Statement, Transaction } from "@touchstone/db";
import { forEachInSlices, runInSlices } from "@touchstone/service-kit";
import type { TouchedTrace } from "../../assembly/plan-trace.ts";
import type { FragmentRecord, TraceKey, TraceRecord, TreeRecord } from "../../assembly/stored-trace.ts";
import type { ProjectRow } from "../../model/span-row.ts";
import type { NewFragment } from "./fragment-write.ts";
import { fragmentKeyOf, readFactsApart } from "./long-facts.ts";
import {
  buildFragmentRead,
  buildResponseFragmentRead,
  buildStoredResponseFragmentRead,
  buildTraceLock,
  buildTraceStates,
  buildTreeRead,
  type ResponseKey,
} from "./trace-read.ts";

/** A trace of a batch with what is stored of it. */
export interface ReadTrace {
  touched: TouchedTrace;
  /** The row of each span id. */
  holders: Map<string, string>;
}

export function keyOf({ projectId, traceKey }: TraceKey): string {
  return `${projectId} ${traceKey}`;
}

/** A trace of which nothing is stored. */
export function emptyTrace({ projectId, traceKey }: TraceKey): ReadTrace {
  return {
    touched: {
      projectId,
      traceKey,
      state: null,
      isHuge: false,
      stored: [],
      incoming: [],
      fragments: [],
      hasNewFacts: false,
      promoted: null,
    },
    holders: new Map(),
  };
}

interface Reading {
  rows: readonly ProjectRow[];
  responses: readonly ResponseKey[];
  /** A trace with more spans, or more log records, counts as huge, and neither is read. Null = no bound. */
  spansMax: number | null;
  /** Run under the locks before any read; returns the new fragments. */
  before: readonly Statement[];
}

/** The sweeper reads whole traces, which may have hundreds of thousands of spans and records. */
function eachInTurns<Row>(rows: Iterable<Row>, visit: (row: Row) => void): Promise<void> {
  return runInSlices(forEachInSlices(rows, visit));
}

/** Reads what is stored of traces, and of the log records of these responses, under the locks of the traces. */
export async function readTraces(
  transaction: Transaction,
  keys: readonly TraceKey[],
  { rows, spansMax, before, ...reading }: Reading,
): Promise<Map<string, ReadTrace>> {
  const responses = [...reading.responses];
  for (const { projectId, row } of rows) {
    if (row.responseId !== null) responses.push({ projectId, responseId: row.responseId });
  }
  const results = await transaction.pipeline([
    buildTraceLock(keys),
    ...before,
    buildTraceStates(keys),
    buildFragmentRead(keys, spansMax),
    ...(responses.length > 0 ? [buildResponseFragmentRead(responses, spansMax)] : []),
  ]);
  const [states, ofTraces, ofResponses = []] = results.slice(1 + before.length).map((result) => result.rows) as [
    TraceRecord[],
    FragmentRecord[],
    FragmentRecord[]?,
  ];
  const fresh = results.slice(1, 1 + before.length).flatMap((result) => result.rows as NewFragment[]);
  const traces = new Map<string, ReadTrace>();
  for (const key of keys) traces.set(keyOf(key), emptyTrace(key));
  const of = (record: { project_id: string; trace_key: string | null }): ReadTrace =>
    traces.get(keyOf({ projectId: record.project_id, traceKey: record.trace_key as string })) as ReadTrace;
  const isTooMany = (count: number): boolean => spansMax !== null && count > spansMax;
  for (const state of states) {
    const { touched } = of(state);
    touched.state = state;
    touched.isHuge = isTooMany(state.span_count);
  }
  const byTrace = Map.groupBy(ofTraces, of);
  for (const [{ touched }, own] of byTrace) touched.isHuge ||= isTooMany(own.length);
  const byProject = Map.groupBy(ofResponses, ({ project_id }) => project_id);
  for (const { touched } of traces.values()) {
    touched.isHuge ||= isTooMany(byProject.get(touched.projectId)?.length ?? 0);
  }
  const byResponse = new Map(ofResponses.map((fragment) => [fragmentKeyOf(fragment), fragment]));
  const stored = states.filter((state) => !of(state).touched.isHuge);
  if (stored.length > 0) {
    // New traces, such as those of a whole export, do not even open the partitions of spans.
    const storedKeys = stored.map(({ project_id, trace_key }) => ({ projectId: project_id, traceKey: trace_key }));
    const [trees, more] = await transaction.pipeline<[TreeRecord, FragmentRecord & { of_trace: string }]>([
      buildTreeRead(storedKeys, spansMax),
      buildStoredResponseFragmentRead(storedKeys, spansMax),
    ]);
    const ofStored = Map.groupBy(more.rows, ({ project_id, of_trace }) => of({ project_id, trace_key: of_trace }));
    for (const [{ touched }, own] of ofStored) touched.isHuge ||= isTooMany(own.length);
    await eachInTurns(trees.rows, (span) => {
      const { touched, holders } = of(span);
      if (touched.isHuge) return;
      touched.stored.push(span);
      holders.set(span.span_id, span.id);
    });
    for (const fragment of more.rows) byResponse.set(fragmentKeyOf(fragment), fragment);
  }
  const read = [...byTrace].filter(([{ touched }]) => !touched.isHuge);
  const isAnyRead = [...traces.values()].some(({ touched }) => !touched.isHuge);
  const parse = await readFactsApart(
    (statement) => transaction.query(statement),
    [...read.flatMap(([, own]) => own), ...(isAnyRead ? byResponse.values() : [])],
  );
  for (const [{ touched }, own] of read) {
    await eachInTurns(own, (fragment) => {
      touched.fragments.push(parse(fragment));
    });
  }
  const freshKeys = new Set(fresh.map(fragmentKeyOf));
  await eachInTurns(byResponse.values(), (fragment) => {
    const parsed = parse(fragment);
    // A tree uses the fragments that belong to its spans.
    for (const { touched } of traces.values()) {
      if (touched.projectId !== fragment.project_id) continue;
      if (!touched.isHuge) touched.fragments.push(parsed);
      if (freshKeys.has(fragmentKeyOf(fragment))) touched.hasNewFacts = true;
    }
  });
  for (const fragment of fresh) {
    if (fragment.trace_key !== null) of(fragment).touched.hasNewFacts = true;
    // Which of them it belongs to is not known: its record was not read.
    else
      for (const { touched } of traces.values())
        touched.hasNewFacts ||= touched.isHuge && touched.projectId === fragment.project_id;
  }
  return traces;
}
