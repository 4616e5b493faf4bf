import { limits } from "@touchstone/contracts/limits";
import type { RowsType } from "@touchstone/service-kit";
import {
  type AppError,
  compactText,
  decodeJsonText,
  isAppError,
  type JsonObject,
  Moved,
  memberText,
  readJsonObjectText,
  uuidv7,
} from "@touchstone/service-kit/thread";
import { checkSize, questionTextsOf } from "./change-cases.ts";
import { findDepthMistake, findQuestionMistake } from "./check-question.ts";
import { composeDatasetDocument } from "./dataset-document.ts";
import { type CurrentDataset, type DatasetEdits, datasetEdits, placeOf, StaleDataset } from "./dataset-edits.ts";
import { isArchived, itemIdOf, renderItem } from "./dataset-item.ts";
import {
  cutDocument,
  type DocumentSummary,
  type EncodedDocument,
  readHead,
  summarizeDocument,
  summaryOf,
  textsOf,
} from "./dataset-summary.ts";
import { describeChange } from "./describe-change.ts";
import { importRows } from "./import-rows.ts";
import { createKnownCases } from "./known-cases.ts";
import { identityOf, readSubmittedCases, type SubmittedCase } from "./submitted-case.ts";

/** An expected failure as plain data: a copy of an error loses its code. */
export type Refusal = Pick<AppError, "code" | "message">;

/** What work over a dataset comes to. */
export type Worked<Value> = { value: Value } | { refusal: Refusal };

/** A new document from a client's body, or the first mistake in it. An unreadable body is a refusal instead. */
export type ComposedDataset = { mistake: Refusal } | { document: EncodedDocument; workspaceId: unknown };

/** Composes the document of a body. One whose cases were read from rows `isRead`: its depth was judged then. */
export function composeDataset({ body, isRead, nowMs }: { body: Uint8Array; isRead: boolean; nowMs: number }) {
  return answer((): ComposedDataset | Moved<ComposedDataset> => {
    const sent = isRead ? parse(body) : readJsonObjectText(body);
    try {
      const composed = composeDatasetDocument(sent, () => uuidv7(nowMs));
      // A body that was read from the wire had its size judged; rows of CSV are longer as JSON.
      const bytes = encodeText(isRead ? checkSize(composed) : composed);
      const document = { bytes, summary: summarizeBody(sent) };
      return new Moved({ document, workspaceId: sent.value.workspaceId }, [document.bytes.buffer]);
    } catch (thrown) {
      return { mistake: refusalIn(thrown) };
    }
  });
}

/** Reads the body of one case: the sentence for the first mistake in it, or null. An unreadable body is a refusal. */
export function findCaseMistake({ body }: { body: Uint8Array }) {
  return answer(() => {
    const { value } = readJsonObjectText(body);
    return findDepthMistake(value) ?? findQuestionMistake(value, "case");
  });
}

/** Reads the body of cases to add. */
export function readCases({ body, addedAt }: { body: Uint8Array; addedAt: Date }) {
  return answer(() => readSubmittedCases(readJsonObjectText(body), addedAt));
}

/** Cases of a file: `text` is a list of them in JSON, `first` one of the first `firstMax`. */
export interface ReadRows {
  text: Uint8Array<ArrayBuffer>;
  first: string;
  count: number;
  skipped: { row: number; reason: string }[];
  skippedCount: number;
}

/** Reads a file of cases. */
export function readRows({ body, type, firstMax }: { body: Uint8Array; type: RowsType; firstMax: number }) {
  return answer((): Moved<ReadRows> => {
    const { questions, ...skipped } = importRows(type, body);
    const text = encodeText(`[${questions.join(",")}]`);
    const first = `[${questions.slice(0, firstMax).join(",")}]`;
    return new Moved({ text, first, count: questions.length, ...skipped }, [text.buffer]);
  });
}

/** The edit of a dataset by its name. */
export interface DatasetEdit<Name extends keyof DatasetEdits = keyof DatasetEdits> {
  name: Name;
  input: Parameters<DatasetEdits[Name]>[1];
}

/** What an edit came to. `change` is null when the document is equal; `words` describe it, unless that was not asked for. */
export type EditedDataset<Outcome> =
  | { change: (EncodedDocument & { words: string | null }) | null; outcome: Outcome }
  | { stale: Pick<StaleDataset, "read" | "version" | "caseText"> };

/** Edits a dataset. */
export function editDataset({
  current,
  edit,
  describes,
}: {
  current: CurrentDataset;
  edit: DatasetEdit;
  describes: boolean;
}) {
  return answer((): EditedDataset<unknown> | Moved<EditedDataset<unknown>> => {
    try {
      const make = datasetEdits[edit.name] as (
        current: CurrentDataset,
        input: unknown,
      ) => { document: string; outcome: unknown };
      const { document, outcome } = make(current, edit.input);
      if (document === current.document) return { change: null, outcome };
      const [before, after] = [compactText(current.document), compactText(document)];
      if (before === after) return { change: null, outcome };
      const cut = cutDocument(after);
      const words = describes ? describeChange(cutDocument(before), cut) : null;
      const summary = summarizeDocument(after === document ? cut : cutDocument(document));
      const bytes = encodeText(document);
      return new Moved({ change: { bytes, summary, words }, outcome }, [bytes.buffer]);
    } catch (thrown) {
      if (!(thrown instanceof StaleDataset)) throw thrown;
      const { read, version, caseText } = thrown;
      return { stale: { read, version, caseText } };
    }
  });
}

/** What the comparison of cases by meaning needs to know of a dataset. */
export interface ComparedCases {
  /** The dataset's embedding model; null if it names none. */
  model: string | null;
  /** Whether the dataset has each case already. */
  isKnown: boolean[];
  /** The queries of its newest cases, without duplicates. */
  newestQueries: string[];
}

/** Looks cases up in a dataset. */
export function compareCases({ document, cases }: { document: string; cases: readonly SubmittedCase[] }) {
  return answer((): ComparedCases => {
    const { questions, vectorSimilarity } = JSON.parse(document) as {
      questions: Parameters<typeof identityOf>[0][];
      vectorSimilarity?: { model?: string };
    };
    const known = createKnownCases(questions.map(identityOf));
    return {
      model: vectorSimilarity?.model ?? null,
      isKnown: cases.map((candidate) => known.find(candidate) !== null),
      newestQueries: known.newestQueries(limits.comparedCasesMax),
    };
  });
}

/** The name, the description and the metadata of a dataset. */
export function readDatasetHead({ document }: { document: string }) {
  return answer(() => {
    const texts = textsOf(document);
    return { ...readHead(texts), metadata: texts.get("metadata") ?? null };
  });
}

/** One of a dataset's items as it is answered; null if there is none with this id. */
export function findDatasetItem({ current, itemId }: { current: CurrentDataset; itemId: string }) {
  return answer(() => {
    const texts = questionTextsOf(current.document);
    const index = texts.findIndex((text, at) => itemIdOf(text, current.id, at) === itemId);
    return index < 0 ? null : renderItem(texts[index] as string, index, placeOf(current));
  });
}

/** A page of a dataset's items as it is answered. Those that are archived are not listed. */
export function listDatasetItems({
  current,
  offset,
  limit,
}: {
  current: CurrentDataset;
  offset: number;
  limit: number;
}) {
  return answer(() => {
    const place = placeOf(current);
    const listed = questionTextsOf(current.document)
      .map((text, index) => ({ text, index }))
      .filter(({ text }) => !isArchived(text));
    const items = listed.slice(offset, offset + limit).map(({ text, index }) => renderItem(text, index, place));
    return `{"items":[${items.join(",")}],"totalCount":${listed.length}}`;
  });
}

/** Summarizes a stored document. */
export function summarizeDataset({ document }: { document: string }) {
  return answer(() => summarizeDocument(cutDocument(document)));
}

/** The value that `work` returns, or the expected failure that it throws. */
function answer<Value>(work: () => Value | Moved<Value>): Worked<Value> | Moved<Worked<Value>> {
  try {
    const done = work();
    return done instanceof Moved ? new Moved({ value: done.value }, done.buffers) : { value: done };
  } catch (thrown) {
    return { refusal: refusalIn(thrown) };
  }
}

/** Throws what was thrown, unless it is an expected failure. */
function refusalIn(thrown: unknown): Refusal {
  if (!isAppError(thrown)) throw thrown;
  return { code: thrown.code, message: thrown.message };
}

function parse(body: Uint8Array) {
  const text = decodeJsonText(body);
  return { text, value: JSON.parse(text) };
}

/** The summary of a body whose document was composed. */
function summarizeBody({ text, value }: JsonObject): DocumentSummary {
  const { name, description, questions, metadata } = value as Record<string, string | null | undefined>;
  return summaryOf({
    name: name as string,
    description: description ?? null,
    caseCount: questions?.length ?? 0,
    metadata: metadata === undefined ? null : (memberText(text, "metadata") ?? null),
  });
}

const encoder = new TextEncoder();
const encodeText = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
