/*
 * How a span of an OTel trace is read: what it said itself, then what log records said of it, then what other rows of
 * its trace lend it (its derivation says which). Rows that have nothing to add pass untouched and unparsed, which is
 * every REST row. What is lent is reduced at once to what is shown, so that a page of traces holds little more than
 * its answer.
 */

import {
  type BodyMember,
  decodeSpanBody,
  encodePlainBody,
  hasBodyMember,
  isPackedSmall,
  listBody,
  readBodyMembers,
  type SpanBody,
} from "../spans/span-body.ts";
import type { ComposableSpan, LenderDigest, LendingRow } from "./composable.ts";
import { callsOfTools, type LentCall, matchCalls, readTold, type ToldCalls, writeCalls } from "./compose-calls.ts";
import { addMetadata } from "./compose-metadata.ts";
import { lendSide } from "./compose-sides.ts";
import type { Derivation } from "./derivation.ts";
import type { FragmentBody } from "./fragment-body.ts";
import type { ListedBodies } from "./listed-bodies.ts";
import { mergeFragments } from "./merge-fragments.ts";
import { createRecall } from "./recall-bodies.ts";

/** Reads what spans refer to; compose-store.ts does it. Each slice is bounded, and is let go before the next is read. */
export interface ComposeLoader {
  /** Of rows by id, in any order; those that are gone are missing. */
  digests(ids: readonly string[]): AsyncIterable<LenderDigest[]>;
  /** Rows by id, in any order; those that are gone are missing. */
  rows(ids: readonly string[]): AsyncIterable<LendingRow[]>;
  /** What log records say of rows, by row id, each list in an order that does not depend on their arrival. */
  fragments(ids: readonly string[]): AsyncIterable<Map<string, FragmentBody[]>>;
}

/** What is composed for. */
export interface ComposeOptions {
  /** Lists do without the metadata, which is costly and not shown there. */
  metadata: boolean;
  /**
   * Bodies that were composed for lists before: what is found there is neither unpacked nor are its lenders read. Whether
   * it is found costs a look at the lenders.
   */
  listed?: ListedBodies;
}

/** The spans with their derivations applied to their bodies, in order. */
export async function composeSpans<Span extends ComposableSpan>(
  spans: readonly Span[],
  loader: ComposeLoader,
  { metadata, listed }: ComposeOptions,
): Promise<Span[]> {
  const recall = listed === undefined ? null : createRecall(spans, listed);
  if (recall === null && spans.every(({ derived }) => derived === null)) return [...spans];
  const needs = listNeeds(spans);
  const told = await readOwnFragments(spans, loader);
  if (recall !== null) for await (const slice of loader.digests([...needs.keys()])) recall.see(slice);
  const wanted = [...needs.keys()].filter((id) => recall === null || recall.isWanted(id));
  const lent = await readLent(needs, lendingRows(wanted, spans, loader), { loader, told });
  const composed: Span[] = [];
  for (const span of spans) {
    const { derived } = span;
    let body = recall?.bodyOf(span);
    if (body === undefined) {
      if (derived !== null) body = await composeBody(span, derived, told.get(span.id), lent, metadata);
      else body = recall === null ? span.body : await unpackSmall(span.body);
      recall?.keep(span, body, (id) => lent.get(id)?.isTold === false);
    }
    composed.push(body === span.body ? span : { ...span, body });
  }
  return composed;
}

/** What is unpacked beside the event loop is left to whoever shows it: several at once then. */
async function unpackSmall(body: Buffer): Promise<Buffer> {
  return isPackedSmall(body) ? listBody(await decodeSpanBody(body), null) : body;
}

/** What is asked of one lending row. */
interface Need {
  input: boolean;
  output: boolean;
  /** Its own calls: it is a tool. */
  tools: boolean;
  /** The calls its messages tell of: it is a model's. */
  calls: boolean;
}

/** What one row lends, cut to what was asked of it. */
interface Lent {
  spanId: string | null;
  kind: string;
  input: string | null;
  output: string | null;
  tools: LentCall[];
  told: ToldCalls | null;
  /** Log records say some of it. */
  isTold: boolean;
}

function listNeeds(spans: readonly ComposableSpan[]): Map<string, Need> {
  const needs = new Map<string, Need>();
  const ask = (id: string | undefined, what: keyof Need): void => {
    if (id === undefined) return;
    const need = needs.get(id) ?? { input: false, output: false, tools: false, calls: false };
    need[what] = true;
    needs.set(id, need);
  };
  for (const { derived } of spans) {
    ask(derived?.inputFrom, "input");
    ask(derived?.outputFrom, "output");
    for (const id of derived?.toolsFrom ?? []) ask(id, "tools");
    for (const id of derived?.callsFrom ?? []) ask(id, "calls");
  }
  return needs;
}

async function readOwnFragments(
  spans: readonly ComposableSpan[],
  loader: ComposeLoader,
): Promise<Map<string, FragmentBody[]>> {
  return readFragments(
    spans.filter(({ derived }) => derived?.hasFragments === true).map(({ id }) => id),
    loader,
  );
}

async function readFragments(ids: readonly string[], loader: ComposeLoader): Promise<Map<string, FragmentBody[]>> {
  const found = new Map<string, FragmentBody[]>();
  if (ids.length === 0) return found;
  for await (const slice of loader.fragments(ids)) {
    for (const [id, fragments] of slice) found.set(id, fragments);
  }
  return found;
}

/** The rows of these ids. Those that are at hand, as in a session, which holds whole traces, are not read again. */
async function* lendingRows(
  ids: readonly string[],
  spans: readonly ComposableSpan[],
  loader: ComposeLoader,
): AsyncIterable<LendingRow[]> {
  const wanted = new Set(ids);
  const atHand = spans.flatMap(({ id, spanId, kind, derived, body }) =>
    spanId !== undefined && wanted.delete(id)
      ? [{ id, spanId, kind, hasFragments: derived?.hasFragments === true, body }]
      : [],
  );
  if (atHand.length > 0) yield atHand;
  if (wanted.size > 0) yield* loader.rows([...wanted]);
}

async function readLent(
  needs: ReadonlyMap<string, Need>,
  slices: AsyncIterable<LendingRow[]>,
  { loader, told }: { loader: ComposeLoader; told: ReadonlyMap<string, FragmentBody[]> },
): Promise<Map<string, Lent>> {
  const lent = new Map<string, Lent>();
  for await (const rows of slices) {
    const fragments = await readFragments(
      rows.filter(({ id, hasFragments }) => hasFragments && !told.has(id)).map(({ id }) => id),
      loader,
    );
    for (const row of rows) {
      lent.set(row.id, await reduceRow(row, told.get(row.id) ?? fragments.get(row.id) ?? [], needs));
    }
  }
  return lent;
}

async function reduceRow(
  row: LendingRow,
  fragments: readonly FragmentBody[],
  needs: ReadonlyMap<string, Need>,
): Promise<Lent> {
  const need = needs.get(row.id) as Need;
  const own = readBodyMembers(await decodeSpanBody(row.body), fragments.length === 0 ? membersFor(need) : undefined);
  const { body } = mergeFragments(own, fragments, row.kind);
  return {
    spanId: row.spanId,
    kind: row.kind,
    input: need.input ? body.input : null,
    output: need.output ? body.output : null,
    tools: need.tools ? callsOfTools(body) : [],
    told: need.calls ? readTold(body) : null,
    isTold: row.hasFragments,
  };
}

/** What has to be read of a row of which log records tell nothing. */
function membersFor({ input, output, tools, calls }: Need): BodyMember[] {
  const members: BodyMember[] = [];
  if (input || calls) members.push("input");
  if (output || calls) members.push("output");
  if (tools) members.push("toolCalls", "metadata");
  return members;
}

async function composeBody(
  span: ComposableSpan,
  derived: Derivation,
  fragments: readonly FragmentBody[] = [],
  lent: ReadonlyMap<string, Lent>,
  withMetadata: boolean,
): Promise<Buffer> {
  const text = await decodeSpanBody(span.body);
  // The common case of a list, where only the calls come from elsewhere: the rest need not be read.
  if (!withMetadata && lendsCallsOnly(text, derived, fragments)) {
    const calls = hasBodyMember(text, "toolCalls") ? null : writeCalls(collectCalls(derived, fragments, lent));
    return calls === null && !isPackedSmall(span.body) ? span.body : listBody(text, calls);
  }
  const own = readBodyMembers(text);
  const merged = mergeFragments(own, fragments, span.kind);
  const inputRow = derived.inputFrom === undefined ? undefined : lent.get(derived.inputFrom);
  const outputRow = derived.outputFrom === undefined ? undefined : lent.get(derived.outputFrom);
  const borrowsInput = merged.body.input === null && inputRow !== undefined && inputRow.input !== null;
  const borrowsOutput = merged.body.output === null && outputRow !== undefined && outputRow.output !== null;
  const body: SpanBody = {
    ...merged.body,
    input: borrowsInput ? lendSide("input", inputRow.input as string, inputRow.kind, span.kind) : merged.body.input,
    output: borrowsOutput
      ? lendSide("output", outputRow.output as string, outputRow.kind, span.kind)
      : merged.body.output,
    toolCalls: merged.body.toolCalls ?? writeCalls(collectCalls(derived, fragments, lent)),
  };
  if (!withMetadata) return encodePlainBody(body);
  const metadata = addMetadata(body.metadata, {
    fragments,
    derived,
    messages: merged.messages,
    ioFrom: describeLenders(borrowsInput ? inputRow.spanId : null, borrowsOutput ? outputRow.spanId : null),
  });
  return encodePlainBody({ ...body, metadata });
}

function lendsCallsOnly(text: Buffer, derived: Derivation, fragments: readonly FragmentBody[]): boolean {
  return (
    fragments.length === 0 &&
    (derived.inputFrom === undefined || hasBodyMember(text, "input")) &&
    (derived.outputFrom === undefined || hasBodyMember(text, "output"))
  );
}

/** Rows of tools tell best; then what the models asked for; then what log records say of tools. */
function collectCalls(
  { toolsFrom, callsFrom }: Derivation,
  fragments: readonly FragmentBody[],
  lent: ReadonlyMap<string, Lent>,
): LentCall[] {
  const results = fragments.flatMap(({ toolCall }) => toolCall ?? []);
  if (toolsFrom !== undefined) {
    return matchCalls(
      toolsFrom.flatMap((id) => lent.get(id)?.tools ?? []),
      results,
    );
  }
  const told = (callsFrom ?? []).flatMap((id) => lent.get(id)?.told ?? []);
  return matchCalls(
    told.flatMap(({ asked }) => asked),
    results,
    told,
  );
}

/** One span, or which span lent which. */
function describeLenders(input: string | null, output: string | null): unknown {
  if (input === null || output === null || input === output) return input ?? output;
  return { input, output };
}
