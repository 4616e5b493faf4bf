import { type Measurement, measureClosedLoop, median } from "./closed-loop.ts";
import { markers } from "./dataset/corpus.ts";
import { rareWordOf } from "./dataset/multiply-traces.ts";
import { type PreparedDataset, prepareDataset } from "./dataset/prepared-dataset.ts";
import { largeTraceId, largeTraceSpans } from "./dataset/seed-traces.ts";
import { type HttpConnection, openHttpConnection } from "./http-connection.ts";
import { atMost, type Bar, printFigure, printHeading } from "./report.ts";
import { startStandalone } from "./standalone.ts";

const base = "/api/v1/ingest";
/** Reads of each kind before the rounds, so that the first ones do not pay for compilation and planning. */
const warmUpSeconds = 1;
const traces = `${base}/traces?limit=50`;

interface Read {
  what: string;
  path: () => string;
  connection: HttpConnection;
  bar?: Bar;
  /** The figure of the round that the bar is for. */
  of: "p50Ms" | "p99Ms";
  /** What every answer contains. */
  expect: (answer: Answer) => boolean;
}

interface Answer {
  totalCount?: number;
  traces?: unknown[];
  spans?: unknown[];
}

/**
 * Lists, searches and trees on a data set of this many root traces with four children each, of which one project has
 * half, through the gateway at one connection. All reads take turns in each round.
 */
export async function benchReads(options: {
  roots: number;
  searched: number;
  rounds: number;
  seconds: number;
}): Promise<void> {
  const dataset = await prepareDataset(options);
  const standalone = await startStandalone({ home: dataset.home });
  try {
    const large = await openHttpConnection(standalone.address, { "x-api-key": dataset.large.apiKey });
    const small = await openHttpConnection(standalone.address, { "x-api-key": dataset.small.apiKey });
    const { totalCount: largeRoots = 0 } = JSON.parse(await large.get(traces)) as Answer;
    const { totalCount: smallRoots = 0 } = JSON.parse(await small.get(traces)) as Answer;
    const reads = listReads({ dataset, large, small, largeRoots });
    const measured = new Map(reads.map((read) => [read, [] as Measurement[]]));
    for (const read of reads) await check(read);
    for (const read of reads) {
      await measureClosedLoop({ clients: 1, seconds: warmUpSeconds, once: async () => void (await call(read)) });
    }
    for (let round = 0; round < options.rounds; round += 1) {
      for (const read of reads) {
        const once = async (): Promise<void> => void (await call(read));
        measured.get(read)?.push(await measureClosedLoop({ clients: 1, seconds: options.seconds, once }));
      }
    }
    printHeading(
      `Reads at ${options.roots} root traces with ${options.roots * 4} children in 20 projects, row-level security on;\n` +
        `one project holds ${largeRoots} of the roots, another ${smallRoots}; ${options.searched} can be searched for.\n` +
        `${options.rounds} rounds of ${options.seconds} s, medians.`,
    );
    const figure = (read: Read, which: "p50Ms" | "p99Ms"): number =>
      median((measured.get(read) ?? []).map((round) => round[which]));
    for (const read of reads) {
      printFigure({
        what: `${read.what}, ${read.of === "p50Ms" ? "p50" : "p99"}`,
        value: figure(read, read.of),
        unit: "ms",
        ...(read.bar && { bar: read.bar }),
        beside: `p50 ${figure(read, "p50Ms").toFixed(2)}, p99 ${figure(read, "p99Ms").toFixed(1)} ms`,
      });
    }
    const [, first, deep, ofSmall] = reads as [Read, Read, Read, Read];
    const p50Of = (read: Read): number => figure(read, "p50Ms");
    printFigure({
      what: "deep page / first page, p50",
      value: p50Of(deep) / p50Of(first),
      unit: "",
      bar: atMost(1.3),
    });
    printFigure({
      what: `${largeRoots} roots / ${smallRoots} roots, p50`,
      value: p50Of(first) / p50Of(ofSmall),
      unit: "",
      bar: atMost(1.5),
    });
    large.close();
    small.close();
  } finally {
    await standalone.stop();
  }
}

function listReads(options: {
  dataset: PreparedDataset;
  large: HttpConnection;
  small: HttpConnection;
  largeRoots: number;
}): Read[] {
  const { dataset, large, small, largeRoots } = options;
  const chosenFrom = Math.min(dataset.searched, 50_000);
  // Copies with even numbers are the large project's; see multiply-traces.ts.
  const someCopy = (): number => 2 * Math.floor((dataset.roots - dataset.searched + Math.random() * chosenFrom) / 2);
  /** The approximate number of the large project's searchable roots. */
  const searchable = (largeRoots * dataset.searched) / dataset.roots;
  const search = (term: string): string => `${traces}&search=${encodeURIComponent(term)}`;
  const hasPage = (answer: Answer): boolean => answer.traces?.length === 50;
  const ofLarge = { connection: large, of: "p50Ms" as const };
  return [
    { ...ofLarge, what: "the hop alone (GET /health/live)", path: () => "/health/live", expect: () => true },
    {
      ...ofLarge,
      what: "list 50 newest, exact total",
      path: () => traces,
      of: "p99Ms",
      bar: atMost(15),
      expect: hasPage,
    },
    {
      ...ofLarge,
      what: "deep page, 90 % down",
      path: () => `${traces}&cursor=${deepCursor()}`,
      of: "p99Ms",
      expect: hasPage,
    },
    { connection: small, of: "p50Ms", what: "list 50 newest, small project", path: () => traces, expect: hasPage },
    {
      ...ofLarge,
      what: "search a rare word, exact total",
      path: () => search(rareWordOf(someCopy())),
      bar: atMost(15),
      expect: ({ totalCount }) => totalCount === 1,
    },
    {
      ...ofLarge,
      what: "search a word of every fourth root, exact total",
      path: () => search(markers.common),
      bar: atMost(1_000),
      expect: (answer) => hasPage(answer) && (answer.totalCount ?? 0) > searchable / 8,
    },
    {
      ...ofLarge,
      what: "search a phrase of nearly every root",
      path: () => search(markers.phrase),
      bar: atMost(2_000),
      expect: (answer) => hasPage(answer) && (answer.totalCount ?? 0) > searchable / 2,
    },
    {
      ...ofLarge,
      what: "search two characters",
      path: () => search(markers.short),
      bar: atMost(2_000),
      expect: (answer) => hasPage(answer) && (answer.totalCount ?? 0) > searchable / 2,
    },
    {
      ...ofLarge,
      what: "spans of a session",
      path: () => `${base}/sessions/session-0-${Math.floor(Math.random() * 5)}/spans`,
      bar: atMost(5),
      expect: ({ spans }) => (spans?.length ?? 0) > 0,
    },
    {
      ...ofLarge,
      what: `a trace of ${largeTraceSpans} spans`,
      path: () => `${base}/sessions/${largeTraceId}/spans`,
      bar: atMost(200),
      expect: ({ spans }) => spans?.length === largeTraceSpans,
    },
  ];
}

/** An id with a time 26 days ago: the copies go back four to five weeks. */
function deepCursor(): string {
  const ms = (Date.now() - 26 * 86_400_000).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

const call = (read: Read): Promise<string> => read.connection.get(read.path());

/** A wrong answer may be a fast one. */
async function check(read: Read): Promise<void> {
  const answer = JSON.parse(await call(read)) as Answer;
  if (!read.expect(answer)) {
    throw new Error(
      `${read.what}: unexpected answer (totalCount ${answer.totalCount}, ${(answer.traces ?? answer.spans)?.length} rows)`,
    );
  }
}
