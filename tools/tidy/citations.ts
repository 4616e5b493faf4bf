import type { Finding, SourceText } from "./source-text.ts";

/** The possible targets of citations. */
export interface CitationTargets {
  /** Headings of the interface page, the longest first. */
  sections: readonly string[];
  /** Section numbers of the pages that have some. */
  numbers: Readonly<Record<string, ReadonlySet<string>>>;
  /** Numbers of the decision records. */
  records: ReadonlySet<string>;
}

const specification = "docs/specification";
const recordFile = /^docs\/decisions\/(\d{4})-[^/]+\.md$/;

/** Space, or the end of a line and the continuation mark of the comment. */
const gap = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:\*|//|--|#)[ \t]+)?)`;
const list = (number: string): string => `${number}(?:(?:,| and| or)${gap}${number})*`;

const numbered = new RegExp(
  String.raw`\b([Cc]ompletions|otlp|dropin)${gap}(${list(String.raw`\d+(?:\.\d+)?\b`)})`,
  "g",
);
const named = new RegExp(String.raw`\binterface:${gap}`, "g");
const recorded = new RegExp(String.raw`\b[Dd]ecisions?${gap}(${list(String.raw`\d+\b`)})`, "g");
/** Forms that look like a citation and name nothing in this repository. */
const unknown = new RegExp(
  String.raw`\b(?:architecture|reliability)(?:${gap}\d|:${gap}\w)|\bdecisions(?::${gap}\w|,${gap}[A-Z])|\bdecision${gap}records?${gap}\d`,
  "g",
);

/** Reads the headings of the specification and the numbers of the decision records. */
export function readCitationTargets(sources: readonly SourceText[]): CitationTargets {
  const headingsOf = (page: string): string[] => {
    const text = sources.find(({ path }) => path === `${specification}/${page}.md`)?.text ?? "";
    return [...text.matchAll(/^#{2,6} (.+)$/gm)].map(([, heading = ""]) => heading);
  };
  const numbersOf = (page: string): Set<string> =>
    new Set(headingsOf(page).flatMap((heading) => /^(\d+(?:\.\d+)?)\.? /.exec(heading)?.[1] ?? []));
  return {
    sections: headingsOf("interface").sort((one, other) => other.length - one.length),
    numbers: { completions: numbersOf("completions"), otlp: numbersOf("otlp"), dropin: numbersOf("dropin") },
    records: new Set(sources.flatMap(({ path }) => recordFile.exec(path)?.[1]?.replace(/^0+/, "") ?? [])),
  };
}

/** Citations in a file without a target. The forms are listed in docs/specification/README.md. */
export function findBrokenCitations({ path, text }: SourceText, targets: CitationTargets): Finding[] {
  const broken: { index: number; what: string }[] = [];
  for (const { index, 1: page = "", 2: numbers = "" } of text.matchAll(numbered)) {
    const known = targets.numbers[page.toLowerCase()];
    for (const number of splitList(numbers)) {
      if (!known?.has(number)) broken.push({ index, what: `${page.toLowerCase()} ${number}` });
    }
  }
  for (const { index, 0: start } of text.matchAll(named)) {
    const cited = joinLines(text.slice(index + start.length, index + start.length + 200));
    if (!targets.sections.some((section) => beginsWith(cited, section))) {
      broken.push({ index, what: `interface: ${cited.slice(0, 40)}` });
    }
  }
  for (const { index, 1: numbers = "" } of text.matchAll(recorded)) {
    for (const number of splitList(numbers)) {
      if (!targets.records.has(number)) broken.push({ index, what: `decision ${number}` });
    }
  }
  for (const { index, 0: what } of text.matchAll(unknown)) broken.push({ index, what: joinLines(what) });
  return broken.map(({ index, what }) => ({ path, line: text.slice(0, index).split("\n").length, what }));
}

/** Whether a text is a citation, or several separated by semicolons, all with a target. */
export function isCitation(text: string, targets: CitationTargets): boolean {
  const parts = text.split("; ");
  const form = new RegExp(`^(?:${numbered.source}|${named.source}|${recorded.source})`);
  return parts.every((part) => form.test(part)) && findBrokenCitations({ path: "", text }, targets).length === 0;
}

/** Missing entries in the index of the decision records, as sentences. */
export function findUnindexedRecords(sources: readonly SourceText[]): string[] {
  const index = sources.find(({ path }) => path === "docs/decisions/README.md")?.text ?? "";
  const numbers = new Set<string>();
  return sources.flatMap(({ path, text }) => {
    const number = recordFile.exec(path)?.[1]?.replace(/^0+/, "");
    if (number === undefined) return [];
    if (numbers.has(number)) return [`${path}: another record has the number ${number}.`];
    numbers.add(number);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? "";
    if (!title.startsWith(`${number}. `)) return [`${path}: the first heading must begin with "${number}. ".`];
    const link = `[${title}](${path.slice(path.lastIndexOf("/") + 1)})`;
    return index.includes(`- ${link}: `)
      ? []
      : [`docs/decisions/README.md needs the line "- ${link}: <what it decides>".`];
  });
}

const splitList = (numbers: string): string[] => numbers.match(/\d+(?:\.\d+)?/g) ?? [];

const joinLines = (text: string): string => text.replaceAll(new RegExp(gap, "g"), " ");

/** The name of a section ends where no further character could belong to it. */
function beginsWith(cited: string, section: string): boolean {
  return cited.startsWith(section) && !/^[\w{/]/.test(cited.slice(section.length));
}
