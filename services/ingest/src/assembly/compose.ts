import { looselyParsed } from "../messages/json-text.ts";
import { readConversation } from "../messages/read-conversation.ts";
import { showInput, showOutput } from "../messages/show-content.ts";
import type { Derivation } from "../model/derivation.ts";
import type { FragmentBody } from "../model/fragment-body.ts";
import type { JsonText } from "../model/span.ts";
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
} from "../model/span-body.ts";
import { boundCalls, type CallBounds } from "./bound-calls.ts";
import type { ComposableSpan, LenderDigest, LendingRow, Lent, ListedRow } from "./composable.ts";
import {
  callsCharsMax,
  callsOfTools,
  type LentCall,
  matchCalls,
  readMessageCalls,
  writeCalls,
} from "./compose-calls.ts";
import { addMetadata } from "./compose-metadata.ts";
import type { ListedBodies } from "./listed-bodies.ts";
import { mergeFragments } from "./merge-fragments.ts";
import { createRecall, type Recall } from "./recall-bodies.ts";
import { splitByBytes } from "./split-by-bytes.ts";

/*
 * Composes spans of OTel traces: the span's own values first, then log records, then what its derivation lends from
 * other rows of the trace. Rows without additions pass unparsed; that includes every REST row. Lent content is cut to
 * what is shown as soon as it is read, so that a page of traces holds little more than its answer.
 */

/**
 * Reads the rows that spans refer to; see compose-store.ts. Slices are bounded, and each is released before the next is
 * read.
 */
export interface ComposeLoader {
  /** Rows by id, in any order; removed rows are missing. */
  digests(ids: readonly string[]): AsyncIterable<LenderDigest[]>;
  /** Rows by id, in any order; removed rows are missing. */
  rows(ids: readonly string[]): AsyncIterable<LendingRow[]>;
  /** Log fragments by row id, in the order of the ids. The order of each list does not depend on arrival. */
  fragments(ids: readonly string[]): AsyncIterable<Map<string, FragmentBody[]>>;
}

/** A span without its body. */
type Bodiless = Omit<ComposableSpan, "body">;

export interface Composing {
  /** Rows that are not shown in full do not need metadata, which is expensive. */
  metadata: boolean;
  /** The log records of the spans, if they are known. */
  fragments?: ReadonlyMap<string, FragmentBody[]>;
}

/** The spans with their derivations applied to their bodies, in order. */
export async function composeSpans<Span extends ComposableSpan>(
  spans: readonly Span[],
  loader: ComposeLoader,
  { metadata, fragments }: Composing,
): Promise<Span[]> {
  if (spans.every(({ derived }) => derived === null)) return [...spans];
  const needs = listNeeds(spans);
  const ownFragments = fragments ?? (await readOwnFragments(spans, loader));
  const calls = boundCalls(spans);
  const lent = await readLent(needs, lendingRows([...needs.keys()], spans, loader), { loader, ownFragments, calls });
  const composed: Span[] = [];
  for (const span of spans) {
    const { derived } = span;
    if (derived === null) composed.push(span);
    else composed.push({ ...span, body: await composeBody(span, derived, ownFragments.get(span.id), lent, metadata) });
  }
  return composed;
}

/** A row of a list changed or was removed after the list was read. */
export class ListChangedError extends Error {
  override readonly name = "ListChangedError";
}

/**
 * The same for a list, without metadata, in groups of rows with at most `groupBytesMax` of text, or of one row; each
 * group is released before the next is composed. Rows composed before cost a look at their lenders' digests; their
 * bodies are not read. Throws {@link ListChangedError}.
 */
export async function* composeList<Span extends Bodiless>(
  rows: readonly ListedRow<Span>[],
  { loader, listed, groupBytesMax, makeRoom }: ListComposing,
): AsyncGenerator<(Span & { body: Buffer })[], void, undefined> {
  const recall = createRecall(rows, listed);
  const lenderBytes = new Map<string, number>();
  const lenders = listNeeds(rows.map(({ span }) => span));
  for await (const slice of loader.digests([...lenders.keys()])) {
    recall.see(slice);
    for (const { id, textBytes } of slice) lenderBytes.set(id, textBytes);
  }
  const costOf = (row: ListedRow<Span>): number => {
    const known = recall.bodyOf(row);
    return known === undefined ? row.textBytes + borrowedBytes(row.span.derived, lenderBytes) : known.length;
  };
  for (const group of splitByBytes(rows, costOf, groupBytesMax)) {
    if (group.reduce((sum, row) => sum + costOf(row), 0) > smallBytes) await makeRoom();
    yield composeGroup(group, loader, recall);
  }
}

export interface ListComposing {
  loader: ComposeLoader;
  listed: ListedBodies;
  groupBytesMax: number;
  /** Waits for memory for a large page. */
  makeRoom(): Promise<void>;
}

/** A larger group is part of a large page. */
const smallBytes = 256 * 1024;

async function composeGroup<Span extends Bodiless>(
  rows: readonly ListedRow<Span>[],
  loader: ComposeLoader,
  recall: Recall,
): Promise<(Span & { body: Buffer })[]> {
  const pending = rows.filter((row) => recall.bodyOf(row) === undefined);
  const spans = pending.map(({ span }) => span);
  const needs = listNeeds(spans);
  const ownFragments = await readOwnFragments(spans, loader);
  const unread = pending.filter(({ body }) => body === null);
  for (const { span } of unread) needOf(needs, span.id).body = true;
  const calls = boundCalls(spans);
  const lent = await readLent(needs, recall.compare(loader.rows([...needs.keys()])), { loader, ownFragments, calls });
  if (!unread.every(({ span }) => recall.isAsSeen(span.id))) throw new ListChangedError("a row of the list changed");
  // In parallel: large bodies are decompressed outside the event loop.
  return Promise.all(
    rows.map(async (row) => {
      const known = recall.bodyOf(row);
      if (known !== undefined) return { ...row.span, body: known };
      const span = { ...row.span, body: row.body ?? (lent.get(row.span.id)?.body as Buffer) };
      const { derived } = span;
      const body =
        derived === null
          ? await unpack(span.body)
          : await composeBody(span, derived, ownFragments.get(span.id), lent, false);
      recall.keep(row, body);
      return { ...span, body };
    }),
  );
}

/** Tool calls show little more than this of their lenders, however large they are. */
const callsBytes = 2 * callsCharsMax;
/** The size of log records is unknown before they are read. */
const toldBytes = 256 * 1024;

/** Upper bound of the content that a row borrows. */
function borrowedBytes(derived: Derivation | null, textBytes: ReadonlyMap<string, number>): number {
  if (derived === null) return 0;
  const bytesOf = (id: string | undefined): number => (id === undefined ? 0 : (textBytes.get(id) ?? 0));
  const callers = [...(derived.toolsFrom ?? []), ...(derived.callsFrom ?? [])];
  const calls = callers.reduce((sum, id) => sum + bytesOf(id), 0);
  return (
    bytesOf(derived.inputFrom) +
    bytesOf(derived.outputFrom) +
    Math.min(calls, callsBytes) +
    (derived.hasFragments === true ? toldBytes : 0)
  );
}

async function unpack(body: Buffer): Promise<Buffer> {
  return isPacked(body) ? listBody(await decodeSpanBody(body), null) : body;
}

/** The requested parts of one row. */
interface Need {
  input: boolean;
  output: boolean;
  /** Its own call: the row is a tool's. */
  tools: boolean;
  /** The calls in its messages: the row is a model's. */
  calls: boolean;
  /** The stored body: the row is on the page itself. */
  body: boolean;
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

/** The rows of these ids. Rows of the page are not read again; a session holds whole traces. */
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
  {
    loader,
    ownFragments,
    calls,
  }: { loader: ComposeLoader; ownFragments: ReadonlyMap<string, FragmentBody[]>; calls: CallBounds },
): Promise<Map<string, Lent>> {
  const lent = new Map<string, Lent>();
  for await (const rows of slices) {
    let left = rows;
    const reduce = async (count: number, fragments: ReadonlyMap<string, FragmentBody[]>): Promise<void> => {
      for (const row of left.slice(0, count)) {
        const reduced = await reduceRow(row, ownFragments.get(row.id) ?? fragments.get(row.id) ?? [], needs);
        lent.set(row.id, calls.fit(reduced));
      }
      left = left.slice(count);
    };
    const ids = rows.filter(({ id, hasFragments }) => hasFragments && !ownFragments.has(id)).map(({ id }) => id);
    // In order, because calls that come late may lose their texts.
    for await (const fragments of ids.length === 0 ? [] : loader.fragments(ids)) {
      await reduce(left.findLastIndex(({ id }) => fragments.has(id)) + 1, fragments);
    }
    await reduce(left.length, new Map());
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
  // If a row lends nothing, only its packed body is needed.
  const text = members.length === 0 ? null : await decodeSpanBody(row.body);
  const own = text === null ? emptyBody : readBodyMembers(text, fragments.length === 0 ? members : undefined);
  const { body } = mergeFragments(own, fragments, row.kind);
  return {
    id: row.id,
    spanId: row.spanId,
    kind: row.kind,
    input: need.input ? body.input : null,
    output: need.output ? body.output : null,
    tools: need.tools ? callsOfTools(body) : [],
    messageCalls: need.calls ? readMessageCalls(body) : null,
    body: need.body ? row.body : null,
  };
}

/** The members to read of a row without log records. */
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
  // The common case of a list: only the calls come from other rows, so the rest need not be read.
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

/** Prefers tool rows, then calls that models asked for, then log records. */
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
  const messageCalls = (callsFrom ?? []).flatMap((id) => lent.get(id)?.messageCalls ?? []);
  return matchCalls(
    messageCalls.flatMap(({ asked }) => asked),
    results,
    messageCalls,
  );
}

/** The id of the lending span, or of the one for each side. */
function describeLenders(input: string | null, output: string | null): unknown {
  if (input === null || output === null || input === output) return input ?? output;
  return { input, output };
}

/**
 * The input or output that a row shows of its lender. A root shows the question and the answer, while its lender, a
 * model call, shows the whole conversation (otlp 5.4).
 */
function lendSide(side: "input" | "output", text: JsonText, lender: string, borrower: string): JsonText {
  if (lender !== "llm" || borrower === "llm") return text;
  const conversation = readConversation(looselyParsed(text));
  if (conversation === null) return text;
  const shown = side === "input" ? showInput : showOutput;
  return shown(conversation.messages, borrower).json ?? text;
}
