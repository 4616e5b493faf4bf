import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type AuditOptions, type AuditReport, audit, listFindings } from "./audit.ts";
import { type Answer, createHttpClient, type HttpClient } from "./http-client.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { createRandom, type Random } from "./random.ts";
import { nameOf, type WriterOptions, writeTraces } from "./trace-writer.ts";

/** What the audit needs from a system: a separate project, a way to settle, and monitor's record. */
export interface AuditedSystem {
  urls: readonly string[];
  createProject(name: string): Promise<{ id: string; apiKey: string }>;
  settle(): Promise<void>;
  /** How often monitor recorded each trace of a project. */
  countAnnounced(projectId: string): Promise<ReadonlyMap<string, number>>;
  /** The ends of the processes' logs, to investigate a failed audit. */
  logTails(): string;
}

export interface LoadOptions
  extends Pick<WriterOptions, "payloadBytes" | "pauseMs">,
    Pick<AuditOptions, "announceWithinMs" | "refusalsAreCertain"> {
  seed?: number;
  /** Default 4. */
  writers?: number;
}

/** The load, while faults are injected. */
export interface Load {
  random: Random;
  ledger: Ledger;
  client: HttpClient;
  projectId: string;
  apiKey: string;
  /** Every answer so far, in the order of arrival; null for requests without an answer. */
  answers: readonly (Answer | null)[];
  /** A line for each request without an answer: its destination and the error. */
  broken: readonly string[];
  /** Waits until this many more writes are acknowledged. */
  awaitAcks(more: number): Promise<void>;
  /** Stops the writers now instead of at the end. */
  stopWriting(): Promise<void>;
  /** Waits until a later answer matches. */
  awaitAnswer(description: string, matches: (answer: Answer | null) => boolean): Promise<void>;
}

/**
 * Writes to a new project while `hurt` injects faults, then lets the system settle and audits it. All faults must be
 * healed when `hurt` returns.
 */
export async function auditUnderLoad(
  system: AuditedSystem,
  { seed = 1, writers = 4, ...options }: LoadOptions,
  hurt: (load: Load) => Promise<void>,
): Promise<AuditReport> {
  const name = nameOf(seed);
  const random = createRandom(seed);
  const project = await system.createProject(name);
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-chaos-"));
  const ledger = await openLedger(path.join(folder, "ledger.ndjson"));
  const broken: string[] = [];
  const onBroken = (reason: string): void => void broken.push(reason);
  const client = createHttpClient({ urls: system.urls, apiKey: project.apiKey, onBroken });
  const answers: (Answer | null)[] = [];
  const stop = new AbortController();
  const writing = Promise.all(
    Array.from({ length: writers }, (_, index) =>
      writeTraces(
        {
          ...options,
          client,
          ledger,
          random: random.fork(`writer ${index}`),
          name: `${name}-${index}`,
          onAnswer: (answer) => answers.push(answer),
        },
        stop.signal,
      ),
    ),
  );
  writing.catch(() => {});
  try {
    await hurt({
      random,
      ledger,
      client,
      projectId: project.id,
      apiKey: project.apiKey,
      answers,
      broken,
      async awaitAcks(more) {
        const wanted = ledger.acked() + more;
        await waitUntil(`${more} more writes are acknowledged`, async () => ledger.acked() >= wanted, {
          timeoutMs: 120_000,
          everyMs: 5,
        });
      },
      async stopWriting() {
        stop.abort();
        await writing;
      },
      async awaitAnswer(description, matches) {
        const from = answers.length;
        await waitUntil(description, async () => answers.slice(from).some(matches), { timeoutMs: 120_000, everyMs: 5 });
      },
    }).catch((cause) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${why}\n${system.logTails()}`, { cause });
    });
    stop.abort();
    await writing;
    await system.settle();
    const report = await audit({
      ...options,
      ledger,
      client,
      countAnnounced: () => system.countAnnounced(project.id),
    });
    return listFindings(report).length === 0 ? report : { ...report, logTails: system.logTails() };
  } finally {
    stop.abort();
    await writing.catch(() => {});
    await client.close();
    await ledger.close();
    await rm(folder, { recursive: true, force: true });
  }
}
