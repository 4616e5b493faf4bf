import { createHash } from "node:crypto";
import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { readNumber } from "../gate.ts";
import { showProgress } from "../progress.ts";
import { exitCodes, Failure, type Surroundings } from "../surroundings.ts";
import {
  type Counts,
  countFiles,
  countObservations,
  countRows,
  countsOf,
  describeReading,
  showCounts,
} from "./count.ts";
import { type Kind, kinds } from "./held.ts";
import { type Journal, openJournal } from "./journal.ts";
import { apiSteps, fileSteps, type ImportedPart, parts, readApi, takeStep } from "./plan.ts";
import { readBack } from "./read-back.ts";
import { openExportFile } from "./read-files.ts";
import { type Report, report, showReport } from "./report.ts";
import { createSource, type LangfuseSource } from "./source.ts";
import type { Stores } from "./store.ts";
import { MediaCopier } from "./store-media.ts";
import { Target } from "./target.ts";

interface Flags {
  host?: string;
  publicKey?: string;
  secretKey?: string;
  from?: string;
  to?: string;
  journal?: string;
  requestsPerMinute?: number;
  pageSize?: number;
  only?: ReadonlySet<ImportedPart>;
  dryRun?: boolean;
  url?: string;
  json?: boolean;
}

/** The slowest plan of Langfuse's own installation; others have no limit by themselves. */
const cloud = /(^|\.)langfuse\.com$/;
const perMinute = { cloud: 30, other: 600 } as const;

/** `touchstone import langfuse [file...]` */
export function addImportLangfuse(importing: Command, surroundings: Surroundings): void {
  importing
    .command("langfuse")
    .description(
      "Copy the history of a Langfuse project: prompts, datasets, runs, traces, scores and media. Run it again to go on after an interruption. Exit codes: 0 equal, 1 differs, 2 could not run.",
    )
    .argument(
      "[file...]",
      "export files with traces, observations and scores, in Parquet or a row a line as JSON; without them Langfuse is asked",
    )
    .option("--host <url>", "the address of Langfuse; default LANGFUSE_HOST or LANGFUSE_BASE_URL")
    .option("--public-key <key>", "default LANGFUSE_PUBLIC_KEY")
    .option("--secret-key <key>", "default LANGFUSE_SECRET_KEY")
    .option("--from <time>", "only traces, observations and scores from this time on, ISO 8601", readTime)
    .option("--to <time>", "only those before this time; default when the import begins", readTime)
    .option("--journal <folder>", "where to keep what is done; default a folder in .touchstone")
    .option(
      "--requests-per-minute <count>",
      "ask Langfuse at most so often; default 30 of langfuse.com, else 600",
      readCount,
    )
    .option("--page-size <rows>", "ask for fewer rows at a time", readCount)
    .option("--only <parts>", `only these parts, such as prompts,datasets: ${parts.join(", ")}`, readParts)
    .option("--dry-run", "count what Langfuse has, and write nothing")
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print the report as JSON")
    .action(async (files: string[], flags: Flags) => {
      const { print } = surroundings;
      if (files.length > 0 && (flags.from ?? flags.to) !== undefined)
        throw new Failure("Files are imported whole, without --from and --to.");
      if (flags.dryRun === true) return print(await count(files, flags, surroundings));
      const result = await importHistory(files, flags, surroundings);
      print(flags.json ? JSON.stringify(result) : showReport(result));
      process.exitCode = result.equal ? exitCodes.passed : exitCodes.failed;
    });
}

/** Copies what the journal does not have yet, and compares both sides. */
async function importHistory(files: readonly string[], flags: Flags, surroundings: Surroundings): Promise<Report> {
  const { interrupted: signal } = surroundings;
  const client = surroundings.client(flags.url);
  const target = new Target(client, signal);
  const access = files.length > 0 ? null : readAccess(flags, surroundings);
  if (access !== null && new URL(access.url).origin === new URL(target.url).origin) {
    throw new Failure(`${access.url} is Touchstone itself. State the address of Langfuse with --host.`);
  }
  const opened = await Promise.all(files.map((file) => openExportFile(path.resolve(file))));
  const places = access === null ? opened.map(({ file }) => file) : [access.url];
  const subject = { source: places.join(", "), target: target.url, from: flags.from ?? null, to: flags.to ?? null };
  const journal = await openJournal(folderOf(flags, [subject, access?.publicKey]), subject, surroundings.note);
  const shown = { note: surroundings.note };
  const note = (text: string) => shown.note(text);
  try {
    const source = access === null ? null : createSource({ ...access, signal, note });
    const stores = { media: source === null ? null : new MediaCopier(source, target), target, journal };
    const { steps, counts } =
      source === null
        ? { steps: fileSteps(opened, stores), counts: surroundings.isTerminal ? await countFiles(opened) : {} }
        : await greet(source, { flags, stores, note });
    const view = showRows(journal, counts, surroundings);
    shown.note = view.note;
    try {
      for await (const step of steps) {
        if (flags.only?.has(step.part) ?? true) await takeStep(step, journal, view.update);
      }
    } finally {
      view.stop();
      shown.note = surroundings.note;
    }
    note("Everything is read. Comparing it with what Touchstone holds.");
    return report(journal, await readBack(journal, { client, target, signal }));
  } finally {
    await journal.close();
  }
}

/** Says what there is, and how long reading it takes. */
async function greet(
  source: LangfuseSource,
  { flags, stores, note }: { flags: Flags; stores: Stores; note: (text: string) => void },
) {
  const api = await readApi(source, flags.pageSize ?? null);
  const { subject } = stores.journal;
  const counts = countsOf(await countRows(api, subject), flags.only);
  const reading = describeReading(counts, api, rateOf(flags, source.url));
  note(`Langfuse ${api.version} has ${showCounts(counts)}. Reading all takes ${reading}.`);
  note("Live judges, alert rules and webhooks that are switched on see the traces of the last 60 days.");
  return { steps: apiSteps(api, stores, subject), counts };
}

/** The kinds of rows that Langfuse counts, by the names of its counts. */
const counted: readonly (readonly [name: string, kind: Kind])[] = [
  ["traces", "trace"],
  ["observations", "observation"],
  ["scores", "score"],
  ["dataset items", "item"],
];

/** A bar over the rows that are counted. Its words, and the lines in its place, name all rows. */
function showRows(journal: Journal, counts: Counts, { note, isTerminal }: Surroundings) {
  const known = counted.filter(([name]) => (counts[name] ?? 0) > 0);
  const total = known.reduce((sum, [name]) => sum + (counts[name] ?? 0), 0);
  const view = showProgress({ total: Math.max(1, total), format: "{rows}", note, isTerminal });
  return {
    ...view,
    update() {
      const read = journal.counts();
      const value = known.reduce((sum, [, kind]) => sum + (read[kind] ?? 0), 0);
      const rows = Object.entries(read).map(([kind, count]) => `${count} ${kinds[kind as Kind].plural}`);
      view.update(Math.min(value, total), { rows: rows.join(", ") });
    },
  };
}

/** What `--dry-run` prints. */
async function count(files: readonly string[], flags: Flags, surroundings: Surroundings): Promise<string> {
  let counts: Counts;
  let reading = "";
  if (files.length > 0) counts = countsOf(await countFiles(await Promise.all(files.map(openExportFile))), flags.only);
  else {
    const { interrupted: signal, note } = surroundings;
    const source = createSource({ ...readAccess(flags, surroundings), signal, note });
    const api = await readApi(source, flags.pageSize ?? null);
    const window = { from: flags.from ?? null, to: flags.to ?? new Date().toISOString() };
    counts = countsOf(await countRows(api, window), flags.only);
    if (api.major === 4 && counts.observations === null) counts.observations = await countObservations(api, window);
    reading = ` Reading all takes ${describeReading(counts, api, rateOf(flags, source.url))}.`;
  }
  return flags.json ? JSON.stringify(counts) : `There are ${showCounts(counts)}.${reading}`;
}

function readAccess(flags: Flags, { environment }: Surroundings) {
  const read = (flag: string | undefined, option: string, ...names: string[]): string => {
    const value = flag ?? names.map((name) => environment[name]).find((one) => one !== undefined && one !== "");
    if (value === undefined) throw new Failure(`State ${option}, or set ${names.join(" or ")}.`);
    return value;
  };
  const url = read(flags.host, "--host", "LANGFUSE_HOST", "LANGFUSE_BASE_URL", "LANGFUSE_BASEURL");
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new Failure(`The address of Langfuse must begin with http: ${url}`);
  return {
    url: url.replace(/\/+$/, ""),
    publicKey: read(flags.publicKey, "--public-key", "LANGFUSE_PUBLIC_KEY"),
    secretKey: read(flags.secretKey, "--secret-key", "LANGFUSE_SECRET_KEY"),
    requestsPerMinute: rateOf(flags, url),
  };
}

function rateOf({ requestsPerMinute }: Flags, url: string): number {
  return requestsPerMinute ?? (cloud.test(new URL(url).hostname) ? perMinute.cloud : perMinute.other);
}

function folderOf({ journal }: Flags, subject: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify(subject)).digest("hex").slice(0, 12);
  return journal ?? path.join(".touchstone", `import-langfuse-${hash}`);
}

function readParts(text: string): ReadonlySet<ImportedPart> {
  const named = text.split(",").map((part) => part.trim());
  const unknown = named.find((part) => !parts.some((one) => one === part));
  if (unknown !== undefined) throw new InvalidArgumentError(`It must be of ${parts.join(", ")}, with commas between.`);
  return new Set(named as ImportedPart[]);
}

function readCount(text: string): number {
  const count = readNumber(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number from 1.");
  return count;
}

function readTime(text: string): string {
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError("It must be an ISO 8601 date.");
  }
  return new Date(text).toISOString();
}
