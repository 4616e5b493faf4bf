import { compactText, membersOf, memberText, objectText } from "@touchstone/service-kit/thread";
import { textsOf } from "./dataset-summary.ts";
import { foldQuery } from "./known-cases.ts";

/** The result of importing rows into a dataset's cases; cases are JSON texts. */
export interface MergedCases {
  texts: string[];
  added: string[];
  /** The cases as they are after the import. */
  changed: string[];
  removed: string[];
  /** Rows that equal an existing case. */
  equal: number;
}

/**
 * `add`: a row updates the members it names in the case with the same query, else it is a new case; the last of several rows
 * with the same query counts. `replace`: the rows become the cases, and each is compared with the case with the same query.
 */
export function mergeCases(cases: readonly string[], rows: readonly string[], mode: "add" | "replace"): MergedCases {
  return mode === "add" ? addRows(cases, rows) : replaceByRows(cases, rows);
}

function addRows(cases: readonly string[], rows: readonly string[]): MergedCases {
  const texts = [...cases];
  const places = new Map<string, number>();
  for (const [index, text] of cases.entries()) {
    const query = queryOf(text);
    if (!places.has(query)) places.set(query, index);
  }
  const touched = new Set<number>();
  for (const row of rows) {
    const query = queryOf(row);
    const place = places.get(query) ?? texts.length;
    places.set(query, place);
    const before = texts[place];
    texts[place] = before === undefined ? row : overlay(before, row);
    touched.add(place);
  }
  const isChanged = (place: number): boolean => compactText(texts[place] ?? "") !== compactText(cases[place] ?? "");
  const changed = [...touched]
    .filter((place) => place < cases.length && isChanged(place))
    .sort((one, two) => one - two);
  const added = texts.slice(cases.length);
  return {
    texts,
    added,
    changed: changed.map((place) => texts[place] ?? ""),
    removed: [],
    equal: rows.length - added.length - changed.length,
  };
}

function replaceByRows(cases: readonly string[], rows: readonly string[]): MergedCases {
  const left = Map.groupBy(cases, queryOf);
  const merged: MergedCases = { texts: [...rows], added: [], changed: [], removed: [], equal: 0 };
  for (const row of rows) {
    const before = left.get(queryOf(row))?.shift();
    if (before === undefined) merged.added.push(row);
    else if (compactText(before) === compactText(row)) merged.equal += 1;
    else merged.changed.push(row);
  }
  merged.removed = [...left.values()].flat();
  return merged;
}

/** The case after a row was applied: members that the row does not name keep their values. */
function overlay(caseText: string, rowText: string): string {
  const row = textsOf(rowText);
  const main = withMembers(memberText(caseText, "main_question") ?? "{}", textsOf(row.get("main_question") ?? "{}"));
  return withMembers(caseText, row.set("main_question", main));
}

function withMembers(text: string, values: ReadonlyMap<string, string>): string {
  const members = membersOf(text).map(({ name, valueText }) => ({ name, valueText: values.get(name) ?? valueText }));
  const names = new Set(members.map(({ name }) => name));
  const fresh = [...values].filter(([name]) => !names.has(name));
  return objectText([...members, ...fresh.map(([name, valueText]) => ({ name, valueText }))]);
}

const queryOf = (text: string): string => foldQuery(JSON.parse(text).main_question.query);
