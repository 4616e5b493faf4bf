import { judgeScorerReply, submitTraceReply, traceDetail, traceList } from "@touchstone/contracts";
import type { LlmReply, RecordedLlmRequest, ScriptedLlm } from "@touchstone/testkit";
import type { z } from "zod";
import { type ApiClient, createClient } from "../../integration/src/client.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import type { Installation } from "./installation.ts";

/**
 * The live judges of an installation and their verdict on each trace. Verdicts depend on the trace's number, so that a
 * mix-up shows.
 */
const judgeNames = ["Tone", "Facts", "Brevity"] as const;
type JudgeName = (typeof judgeNames)[number];

/** A lower rating is a signal. */
const alertThreshold = 3;

/** The judge's rating of the trace with a number. */
const ratingOf = (judge: JudgeName, trace: number): number => (trace * 7 + judgeNames.indexOf(judge) * 3) % 11;

/** A slow provider whose answers depend on the judge's criteria and the trace. */
function answerAsJudges(delayMs: number, onCall: (trace: number) => void) {
  return ({ prompt }: RecordedLlmRequest): LlmReply => {
    const judge = judgeNames.find((name) => prompt.includes(`Judge the ${name}.`)) as JudgeName;
    const trace = Number(/The answer of trace (\d+)\./.exec(prompt)?.[1]);
    onCall(trace);
    return { kind: "verdict", rating: ratingOf(judge, trace), justification: "As the script says.", delayMs };
  };
}

/** A project whose traffic is judged live. */
export interface LiveJudging {
  projectId: string;
  apiKey: string;
  /** Sends this many traces, several at a time. */
  send(count: number): Promise<SentTraces>;
}

/** Acknowledged traces. */
export interface SentTraces {
  /** The number of the first; the others follow. */
  first: number;
  ids: readonly string[];
  /** Waits until every trace shows three verdicts on the pages of the list. */
  awaitJudged(options?: { timeoutMs?: number }): Promise<void>;
  /** The number of provider calls about them so far. */
  countCalls(): number;
  /**
   * Resolves when the provider is called about them after this many calls: that call is in flight then, unless all are
   * done.
   */
  awaitCalls(count: number): Promise<void>;
  /**
   * The errors in the stored and displayed judgements: a trace that does not show each judge's rating once, or a
   * verdict, an event or an occurrence of a signal too many or too few. `stored`: only monitor's records.
   */
  findFaults(where?: "stored"): Promise<string[]>;
}

const sentAtOnce = 8;
const pageSize = 100;

/** Creates the judges over the public routes, and waits until monitor knows them. */
export async function startLiveJudging(
  system: Installation,
  llm: ScriptedLlm,
  { judgeMs }: { judgeMs: number },
): Promise<LiveJudging> {
  const project = await system.createProject("judged live");
  const client = createClient({ url: system.urls[0] as string, apiKey: project.apiKey });
  const callsOf = new Map<number, number>();
  let onCall = (): void => {};
  let sent = 0;

  llm.answerWith(
    answerAsJudges(judgeMs, (trace) => {
      callsOf.set(trace, (callsOf.get(trace) ?? 0) + 1);
      onCall();
    }),
  );

  async function sendOne(number: number): Promise<string> {
    const body = { name: "weather", input: "How is the weather?", output: `The answer of trace ${number}.` };
    return (await client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", body)).traceId;
  }

  async function countRows(text: string, values: readonly unknown[]): Promise<number> {
    const { rows } = await system.postgres.query<{ n: number }>(text, [project.id, ...values]);
    return rows[0]?.n ?? 0;
  }

  async function send(count: number): Promise<SentTraces> {
    const first = sent;
    sent += count;
    const ids: string[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: sentAtOnce }, async () => {
        for (let index = next++; index < count; index = next++) ids[index] = await sendOne(first + index);
      }),
    );
    const numbers = ids.map((_, index) => first + index);
    const countCalls = (): number => numbers.reduce((sum, number) => sum + (callsOf.get(number) ?? 0), 0);
    return {
      first,
      ids,
      countCalls,
      async awaitJudged({ timeoutMs = 120_000 } = {}) {
        await waitUntil(
          `${count} traces show ${judgeNames.length} verdicts each`,
          async () => {
            const counts = await readCounts(client);
            const missing = ids.filter((id) => counts.get(id) !== judgeNames.length);
            if (missing.length > 0) throw new Error(`${missing.length} do not, the first being ${missing[0]}.`);
            return true;
          },
          { timeoutMs, everyMs: 250 },
        );
      },
      async awaitCalls(wanted) {
        if (countCalls() >= count * judgeNames.length) return;
        const reached = Promise.withResolvers<void>();
        const target = Math.max(wanted, countCalls() + 1);
        onCall = () => {
          if (countCalls() >= target) reached.resolve();
        };
        await reached.promise;
        onCall = () => {};
      },
      async findFaults(where) {
        const faults: string[] = [];
        let failing = 0;
        for (const [index, id] of ids.entries()) {
          const ratings = judgeNames.map((judge) => [judge, ratingOf(judge, first + index)] as const);
          failing += ratings.filter(([, rating]) => rating < alertThreshold).length;
          if (where === "stored") continue;
          const expected = ratings.map(([judge, rating]) => `${judge} ${rating}`).sort();
          const shown = await readVerdicts(client, id);
          if (shown !== expected.join(", ")) faults.push(`trace ${id} shows ${shown}, not ${expected.join(", ")}`);
        }
        for (const [what, text, expected] of [
          ["verdicts", verdictsCount, count * judgeNames.length],
          ["events", eventsCount, count * judgeNames.length],
          ["events below a threshold", failingCount, failing],
          ["occurrences of signals beyond their events", overcount, 0],
        ] as const) {
          const stored = await countRows(text, text === overcount ? [] : [ids]);
          if (stored !== expected) faults.push(`${stored} ${what}, not ${expected}`);
        }
        return faults;
      },
    };
  }

  for (const name of judgeNames) {
    const online = { sampleRate: 1, alertThreshold };
    const body = { name, judge: { acceptanceCriteria: `Judge the ${name}.` }, online };
    const created = { status: 201, schema: judgeScorerReply };
    await client.expect(created, "POST", "/agent-monitoring/judge-scorers", body);
  }
  // Monitor learns of judges by an event: an earlier trace is judged by the judges that were live then.
  await waitUntil(
    "monitor knows the three judges",
    async () => {
      await (await send(1)).awaitJudged({ timeoutMs: 5_000 });
      return true;
    },
    { timeoutMs: 90_000 },
  );
  return { projectId: project.id, apiKey: project.apiKey, send };
}

/** The number of verdicts that the list shows for each trace of the project. */
async function readCounts(client: ApiClient): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const route: string = `/ingest/traces?limit=${pageSize}${cursor && `&cursor=${cursor}`}`;
    const page: z.output<typeof traceList> = await client.expect({ status: 200, schema: traceList }, "GET", route);
    for (const { _id, judgeScores } of page.traces) counts.set(_id, judgeScores?.judgeCount ?? 0);
    cursor = page.nextCursor;
  }
  return counts;
}

async function readVerdicts(client: ApiClient, id: string): Promise<string> {
  const trace = { status: 200, schema: traceDetail };
  const { judgeScores } = await client.expect(trace, "GET", `/ingest/traces/${id}`);
  return (judgeScores?.verdicts ?? [])
    .map(({ scorerName, rating }) => `${scorerName} ${rating}`)
    .sort()
    .join(", ");
}

const verdictsCount =
  "select count(*)::int as n from monitor.verdicts where project_id = $1 and trace_id = any ($2::uuid[])";
const eventsCount =
  "select count(*)::int as n from monitor.events where project_id = $1 and trace_id = any ($2::uuid[]) and kind = 'judge'";
const failingCount =
  "select count(*)::int as n from monitor.events where project_id = $1 and trace_id = any ($2::uuid[]) and polarity = 'failure'";
/** All judgements below their threshold, also of other traces: occurrences that signals count beyond these. */
const overcount =
  "select (select coalesce(sum(occurrence_count), 0)::int from monitor.signals where project_id = $1 and pattern_key like 'online-eval:%') - (select count(*)::int from monitor.events where project_id = $1 and kind = 'judge' and polarity = 'failure') as n";
