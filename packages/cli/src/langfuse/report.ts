import { createHash } from "node:crypto";
import { withoutControls } from "../lines.ts";
import { columnsOf, type Held, type Kind, kinds } from "./held.ts";
import type { Journal } from "./journal.ts";

/** One thing that both sides should have alike. */
export interface Line {
  what: string;
  source: number | string;
  target: number | string;
}

/** Rows that are not the same on both sides. */
export interface Difference {
  kind: Kind;
  problem: "missing" | "stored more than once" | "altered";
  count: number;
  /** One of them. */
  id: string;
}

export interface Report {
  source: string;
  target: string;
  from: string | null;
  to: string;
  equal: boolean;
  lines: Line[];
  differences: Difference[];
  refused: { kind: Kind; message: string; count: number; id: string }[];
  /** Members of the source that have no place. */
  withoutPlace: { member: string; count: number; id: string }[];
}

/** Compares what the source has with what is held. */
export function report(journal: Journal, held: readonly Held[]): Report {
  const lines: Line[] = [];
  const differences: Difference[] = [];
  const source = journal.rows();
  for (const kind of Object.keys(kinds) as Kind[]) {
    const [theirs, ours] = [source, held].map((rows) => rows.filter((row) => row.kind === kind)) as [Held[], Held[]];
    if (theirs.length === 0) continue;
    lines.push(...linesOf(kind, theirs, ours));
    differences.push(...differencesOf(kind, theirs, ours));
  }
  const { subject, refused, lost } = journal;
  const isEqual = differences.length === 0 && lines.every((line) => line.source === line.target);
  return {
    ...{
      source: subject.source,
      target: subject.target,
      from: subject.from,
      to: subject.to,
      equal: isEqual,
      lines,
      differences,
    },
    refused: [...refused.values()].map(({ count, first: { kind, id, message } }) => ({ kind, message, count, id })),
    withoutPlace: [...lost]
      .map(([member, { count, id }]) => ({ member, count, id }))
      .sort((one, other) => (one.member < other.member ? -1 : 1)),
  };
}

function linesOf(kind: Kind, theirs: readonly Held[], ours: readonly Held[]): Line[] {
  const { plural, groupName } = kinds[kind];
  const line = (what: string, measure: (rows: readonly Held[]) => number | string): Line => ({
    ...{ what, source: measure(theirs), target: measure(ours) },
  });
  const [theirGroups, ourGroups] = [byGroup(theirs), byGroup(ours)];
  const groups = groupName === null ? [] : [...new Set([...theirGroups.keys(), ...ourGroups.keys()])].sort();
  const sums = columnsOf(kind).flatMap((column, index) => (column.isSummed ? [{ ...column, index }] : []));
  return [
    line(plural, (rows) => rows.length),
    line(`digest of the ids of ${plural}`, digestOf),
    ...groups.flatMap((group) => {
      const ofGroup = (rows: readonly Held[]) => (rows === theirs ? theirGroups : ourGroups).get(group) ?? [];
      const ofScore = kind === "score" ? [line(`sum of scores, name ${group}`, (rows) => sumOf(ofGroup(rows), 0))] : [];
      return [line(`${plural}, ${groupName} ${group}`, (rows) => ofGroup(rows).length), ...ofScore];
    }),
    ...(kind === "score" ? [] : sums.map(({ name, index }) => line(name, (rows) => sumOf(rows, index)))),
  ];
}

function byGroup(rows: readonly Held[]): Map<string, Held[]> {
  const groups = new Map<string, Held[]>();
  for (const row of rows) {
    const group = groups.get(row.group);
    if (group === undefined) groups.set(row.group, [row]);
    else group.push(row);
  }
  return groups;
}

/** In the order of the ids, so that equal rows have equal sums. */
function sumOf(rows: readonly Held[], column: number): number {
  return sorted(rows).reduce((sum, { numbers }) => sum + (numbers[column] ?? 0), 0);
}

function digestOf(rows: readonly Held[]): string {
  const hash = createHash("sha256");
  for (const { id } of sorted(rows)) hash.update(`${id}\n`);
  return hash.digest("hex").slice(0, 16);
}

const sorted = (rows: readonly Held[]): Held[] => rows.toSorted((one, other) => compare(one.id, other.id));

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const textOf = ({ id, group, numbers }: Held): string => JSON.stringify([id, group, numbers]);

function differencesOf(kind: Kind, theirs: readonly Held[], ours: readonly Held[]): Difference[] {
  const [expected, found] = [byId(theirs), byId(ours)];
  const differences = new Map<string, Difference>();
  const count = (problem: Difference["problem"], id: string): void => {
    const known = differences.get(problem) ?? { kind, problem, count: 0, id };
    differences.set(problem, { ...known, count: known.count + 1 });
  };
  for (const [id, texts] of expected) {
    const others = found.get(id) ?? [];
    if (others.length < texts.length) count("missing", id);
    else if (others.length > texts.length) count("stored more than once", id);
    else if (texts.join() !== others.join()) count("altered", id);
  }
  return [...differences.values()];
}

function byId(rows: readonly Held[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const row of rows) found.set(row.id, [...(found.get(row.id) ?? []), textOf(row)].sort());
  return found;
}

/** The report for people. */
export function showReport(result: Report): string {
  const { source, target, equal, lines, differences, refused, withoutPlace } = result;
  const rows = lines.map((line) => ({
    ...{ mark: line.source === line.target ? "  " : "! ", what: line.what },
    ...{ source: show(line.source), target: show(line.target) },
  }));
  const width = (member: "what" | "source", title: string) =>
    Math.max(title.length, ...rows.map((row) => row[member].length));
  const [whatWidth, sourceWidth] = [width("what", ""), width("source", "Langfuse")];
  const table = rows.map(
    (row) => `${row.mark}${row.what.padEnd(whatWidth)}  ${row.source.padStart(sourceWidth)}  ${row.target}`,
  );
  return [
    `${source} against ${target}`,
    `  ${"".padEnd(whatWidth)}  ${"Langfuse".padStart(sourceWidth)}  Touchstone`,
    ...table,
    ...differences.map(({ kind, problem, count, id }) => `${count} ${kinds[kind].plural} ${problem}, such as ${id}`),
    ...refused.map(
      ({ kind, count, id, message }) => `${count} ${kinds[kind].plural} refused, such as ${id}: ${message}`,
    ),
    ...(withoutPlace.length === 0 ? [] : ["Without a place in Touchstone:"]),
    ...withoutPlace.map(({ member, count, id }) => `  ${member}: ${count}, such as ${id}`),
    equal ? "Equal." : "Not equal.",
  ]
    .map(withoutControls)
    .join("\n");
}

const show = (value: number | string): string =>
  typeof value === "number" ? String(Number(value.toPrecision(12))) : value;
