import { limits } from "@touchstone/contracts/limits";
import { compactText, isAppError, objectText } from "@touchstone/service-kit/thread";
import { caseNotFound, checkSize, questionTextsOf, replaceQuestions, tooLarge } from "./change-cases.ts";
import { composeItem, type ItemPlace, itemIdOf, renderItem } from "./dataset-item.ts";
import { readHead, textsOf } from "./dataset-summary.ts";
import { createKnownCases, type DuplicateCase } from "./known-cases.ts";
import { mergeCases } from "./merge-cases.ts";
import { identityOf, type SubmittedCase } from "./submitted-case.ts";

/** The newest version of a dataset. */
export interface CurrentDataset {
  id: string;
  version: number;
  document: string;
  createdAt: Date;
}

/** The document after an edit, and what its caller wants to know. An equal document is no new version. */
export interface EditedDocument<Outcome> {
  document: string;
  outcome: Outcome;
}

/**
 * Every edit of a dataset: the document that is made from the newest one. They run in a thread if the document is large. Each
 * throws `bad_request` or `not_found`, or {@link StaleDataset}.
 */
export const datasetEdits = {
  /** Another document takes its place. */
  replace(current: CurrentDataset, { document, read }: { document: Uint8Array; read: number | null }) {
    requireVersion(current, read);
    return { document: decodeText(document), outcome: null };
  },

  /** A case that is in its place already changes nothing. The outcome is the number of cases before. */
  putCase(current: CurrentDataset, { text, index, read }: { text: Uint8Array; index: number; read: number }) {
    const texts = questionTextsOf(current.document);
    const inPlace = texts[index];
    const sent = decodeText(text);
    const before = texts.length;
    if (inPlace !== undefined && compactText(inPlace) === compactText(sent)) {
      return { document: current.document, outcome: before };
    }
    requireVersion(current, read, index);
    if (index > before) caseNotFound();
    const document = replaceQuestions(current.document, [...texts.slice(0, index), sent, ...texts.slice(index + 1)]);
    return { document, outcome: before };
  },

  /** The outcome is the number of cases that are left. */
  deleteCase(current: CurrentDataset, { index, read }: { index: number; read: number }) {
    requireVersion(current, read, index);
    const texts = questionTextsOf(current.document);
    if (index >= texts.length) caseNotFound();
    return { document: replaceQuestions(current.document, texts.toSpliced(index, 1)), outcome: texts.length - 1 };
  },

  /** Adds the cases that are not there yet. With `similar`, also those are left out that have an entry in it. */
  addCases(
    current: CurrentDataset,
    { cases, similar }: { cases: readonly SubmittedCase[]; similar: ReadonlyMap<number, DuplicateCase> | null },
  ): EditedDocument<AddedCases> {
    const questions: Question[] = JSON.parse(current.document).questions;
    const known = createKnownCases(questions.map(identityOf));
    const duplicates: AddedCases["duplicates"] = [];
    const added: string[] = [];
    for (const [index, candidate] of cases.entries()) {
      const duplicate = similar === null ? null : (known.find(candidate) ?? similar.get(index) ?? null);
      if (duplicate === null) {
        known.add(candidate);
        added.push(candidate.text);
      } else {
        duplicates.push({ index, ...duplicate });
      }
    }
    const outcome = { added: added.length, duplicates, caseCount: questions.length + added.length };
    if (added.length === 0) return { document: current.document, outcome };
    const texts = [...questionTextsOf(current.document), ...added];
    return { document: replaceQuestions(current.document, texts), outcome };
  },

  /** `rows` is the text of a list. A dry run changes nothing. */
  mergeRows(
    current: CurrentDataset,
    {
      rows,
      mode,
      read,
      isDryRun,
    }: { rows: Uint8Array; mode: "add" | "replace"; read: number | null; isDryRun: boolean },
  ) {
    requireVersion(current, read);
    const sent = questionTextsOf(`{"questions":${decodeText(rows)}}`);
    const merged = mergeCases(questionTextsOf(current.document), sent, mode);
    const document = replaceQuestions(current.document, merged.texts);
    const { added, changed, removed } = merged;
    const kinds = Object.entries({ added, changed, removed });
    const shown = kinds.flatMap(([change, texts]) => texts.map((text) => `{"change":"${change}","case":${text}}`));
    const outcome = {
      caseCount: merged.texts.length,
      added: added.length,
      changed: changed.length,
      removed: removed.length,
      equal: merged.equal,
      /** The text of a list. */
      shown: `[${shown.slice(0, shownCasesMax).join(",")}]`,
    };
    return { document: isDryRun ? current.document : document, outcome };
  },

  /** Places items among the cases. The outcome has each as it is answered, or the mistake in it, which refuses no other. */
  keepItems(current: CurrentDataset, { items, at }: { items: readonly { id: string; text: string }[]; at: Date }) {
    const texts = questionTextsOf(current.document);
    const places = new Map(texts.map((text, index) => [itemIdOf(text, current.id, index), index]));
    let size = Buffer.byteLength(current.document);
    const kept = items.map(({ id, text }) => {
      const index = places.get(id) ?? texts.length;
      try {
        const before = texts[index] ?? null;
        const composed = composeItem(before, { text, value: JSON.parse(text) }, { id, at });
        const more = Buffer.byteLength(composed) - (before === null ? -",".length : Buffer.byteLength(before));
        if (more > 0 && size + more > limits.jsonBodyMaxBytes) throw tooLarge();
        size += more;
        texts[index] = composed;
        places.set(id, index);
        return { text: composed, index };
      } catch (thrown) {
        if (isAppError(thrown)) return { code: thrown.code, message: thrown.message };
        throw thrown;
      }
    });
    const place = placeOf(current);
    return {
      document: replaceQuestions(current.document, texts),
      outcome: kept.map((each) => ("code" in each ? each : renderItem(each.text, each.index, place))),
    };
  },

  /** Members take the place of those with the same names. */
  changeMembers(current: CurrentDataset, { members }: { members: readonly { name: string; valueText: string }[] }) {
    const texts = textsOf(current.document);
    for (const { name, valueText } of members) texts.set(name, valueText);
    const changed = objectText([...texts].map(([name, valueText]) => ({ name, valueText })));
    const document = checkSize(changed, Buffer.byteLength(current.document));
    return { document, outcome: { ...readHead(texts), metadata: texts.get("metadata") ?? null } };
  },
};

export type DatasetEdits = typeof datasetEdits;

/** The outcome of adding cases. */
export interface AddedCases {
  added: number;
  /** `index` is the position in the request. */
  duplicates: (DuplicateCase & { index: number })[];
  /** The number of all cases in the dataset. */
  caseCount: number;
}

type Question = Parameters<typeof identityOf>[0];

/** The number of cases shown by an import, over all kinds. */
const shownCasesMax = 20;

/** The place of items in a dataset. */
export function placeOf({ id, document, createdAt }: CurrentDataset): ItemPlace {
  return { datasetId: id, datasetName: readHead(textsOf(document)).name, createdAt };
}

/** Thrown by an edit: the dataset's version differs from the one that the edit was based on. */
export class StaleDataset extends Error {
  override readonly name = "StaleDataset";
  readonly read: number;
  readonly version: number;
  /** Of an edit of one case: the one in its place now, as JSON text; `null` in it if there is none. */
  readonly caseText: string | null;

  constructor(read: number, version: number, caseText: string | null) {
    super(`The dataset changed since it was read: it is at version ${version}, not ${read}`);
    this.read = read;
    this.version = version;
    this.caseText = caseText;
  }
}

/** Throws {@link StaleDataset} unless the dataset is at the version that was read; null = any version. */
function requireVersion({ version, document }: CurrentDataset, read: number | null, index?: number): void {
  if (read === null || version === read) return;
  throw new StaleDataset(read, version, index === undefined ? null : (questionTextsOf(document)[index] ?? "null"));
}

const decoder = new TextDecoder();
const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes);
