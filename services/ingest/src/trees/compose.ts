/*
 * How a span of an OTel trace is read: what it said itself, then what log records said of it, then what other rows of
 * its trace lend it (its derivation says which). Rows that have nothing to add pass untouched and unparsed, which is
 * every REST row. What is lent is reduced at once to what is shown, so that a page of traces holds little more than
 * its answer.
 */

import {
  type BodyMember,
  decodeSpanBody,
  emptyBody,
  encodePlainBody,
  hasBodyMember,
  isPacked,
  listBody,
  readBodyMembers,
  type SpanBody,
} from "../spans/span-body.ts";
import type { ComposableSpan, LenderDigest, LendingRow, ListedRow } from "./composable.ts";
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

/** A span but for its body. */
type Bodiless = Omit<ComposableSpan, "body">;

/** The spans with their derivations applied to their bodies, in order. */
export async function composeSpans<Span extends ComposableSpan>(
  spans: readonly Span[],
  loader: ComposeLoader,
  /** What is not shown in full does without the metadata, which is costly. */
  { metadata }: { metadata: boolean },
): Promise<Span[]> {
  if (spans.every(({ derived }) => derived === null)) return [...spans];
  const needs = listNeeds(spans);
  const told = await readOwnFragments(spans, loader);
  const lent = await readLent(needs, lendingRows([...needs.keys()], spans, loader), { loader, told });
  const composed: Span[] = [];
  for (const span of spans) {
    const { derived } = span;
    if (derived === null) composed.push(span);
    else composed.push({ ...span, body: await composeBody(span, derived, told.get(span.id), lent, metadata) });
  }
  return composed;
}

/**
 * The same of a list, without metadata. Of what was composed before neither bodies nor lenders are read; whether it was
 * costs a look at the lenders. Null when a body is not there any more as the list found it.
 */
export async function composeList<Span extends Bodiless>(
  rows: readonly ListedRow<Span>[],
  loader: ComposeLoader,
  listed: ListedBodies,
): Promise<(Span & { body: Buffer })[] | null> {
  const spans = rows.map(({ span }) => span);
  const needs = listNeeds(spans);
  const told = await readOwnFragments(spans, loader);
  const recall = createRecall(rows, listed);
  for await (const slice of loader.digests([...needs.keys()])) recall.see(slice);
  const unread = rows.filter((row) => row.body === null && recall.bodyOf(row) === undefined);
  for (const { span } of unread) needOf(needs, span.id).body = true;
  const wanted = [...needs].filter(([id, { body }]) => body || recall.isWanted(id)).map(([id]) => id);
  const lent = await readLent(needs, recall.compare(loader.rows(wanted)), { loader, told });
  if (!unread.every(({ span }) => recall.isAsSeen(span.id))) return null;
  // Side by side: large bodies are unpacked beside the event loop.
  return Promise.all(
    rows.map(async (row) => {
      const known = recall.bodyOf(row);
      if (known !== undefined) return { ...row.span, body: known };
      const span = { ...row.span, body: row.body ?? (lent.get(row.span.id)?.body as Buffer) };
      const { derived } = span;
      const body =
        derived === null ? await unpack(span.body) : await composeBody(span, derived, told.get(span.id), lent, false);
      recall.keep(row, body);
      return { ...span, body };
    }),
  );
}

async function unpack(body: Buffer): Promise<Buffer> {
  return isPacked(body) ? listBody(await decodeSpanBody(body), null) : body;
}

/** What is asked of one row. */
interface Need {
  input: boolean;
  output: boolean;
  /** Its own calls: it is a tool. */
  tools: boolean;
  /** The calls its messages tell of: it is a model's. */
  calls: boolean;
  /** The body as it is stored: it is of the page itself. */
  body: boolean;
}

/** What one row lends, cut to what was asked of it. */
interface Lent {
  spanId: string | null;
  kind: string;
  input: string | null;
  output: string | null;
  tools: LentCall[];
  told: ToldCalls | null;
  body: Buffer | null;
}

function listNeeds(spans: readonly Bodiless[]): Map<string, Need> {
  const needs = new Map<string, Need>();
  const ask = (id: string | undefined, what: keyof Need): void => {
    if (id !== undefined) needOf(needs, id)[what] = true;
  };
  for (const { derived } of spans) {
    ask(derived?.inputFrom, "input");
    ask(derived?.outputFrom, "output");
    for (const id of derived?.toolsFrom ?? []) ask(id, "tools");
    for (const id of derived?.callsFrom ?? []) ask(id, "calls");
  }
  return needs;
}

function needOf(needs: Map<string, Need>, id: string): Need {
  const need = needs.get(id) ?? { input: false, output: false, tools: false, calls: false, body: false };
  needs.set(id, need);
  return need;
}

async function readOwnFragments(
  spans: readonly Bodiless[],
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
  const members = membersFor(need);
  // Of a row that lends nothing only the body is wanted, packed as it is.
  const text = members.length === 0 ? null : await decodeSpanBody(row.body);
  const own = text === null ? emptyBody : readBodyMembers(text, fragments.length === 0 ? members : undefined);
  const { body } = mergeFragments(own, fragments, row.kind);
  return {
    spanId: row.spanId,
    kind: row.kind,
    input: need.input ? body.input : null,
    output: need.output ? body.output : null,
    tools: need.tools ? callsOfTools(body) : [],
    told: need.calls ? readTold(body) : null,
    body: need.body ? row.body : null,
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
    return calls === null && !isPacked(span.body) ? span.body : listBody(text, calls);
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
