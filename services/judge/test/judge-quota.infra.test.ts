import { type Bus, connectBus } from "@touchstone/bus";
import { paraphraseQuery, readJudgeDay, readJudgeUsage } from "@touchstone/contracts";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { benchProject, type JudgeBench, openJudgeBench } from "./judge-bench.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";
import { createTestLogger } from "./providers/judge-setup.ts";

const noMetrics = { jaccard: false, bleu: false, rouge: false, vector: null };
const otherProject = "01999999-0000-7000-8000-000000000002";

let bench: JudgeBench;

beforeAll(async () => {
  bench = await openJudgeBench();
});
afterEach(async () => {
  await bench.clear();
  await query("truncate judge.quota_days, judge.usage, judge.verdicts");
});
afterAll(() => bench.stop());

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: bench.database.adminUrl });
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const askForVariants = () => {
  const asked = { projectId: benchProject, model: null, query: "Where is it?", count: 1, guidance: null };
  return bench.asker.request(paraphraseQuery, asked, { timeoutMs: 30_000 });
};

const quotaText = (limit: number): string =>
  `Daily judge-call quota reached (${limit}/day). Quota resets at midnight UTC; raise SERVICE_QUOTA_JUDGE_CALLS_PER_DAY to change the ceiling.`;

describe("the daily quota of judge calls", () => {
  test("is exact to the call with racing judges; results beyond it are skipped with the reason", {
    tags: ["spec:limit.quota.judge"],
  }, async () => {
    const quota = { SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "50" };
    await Promise.all([bench.startJudge(quota), bench.startJudge(quota)]);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        bench.ask({ case: buildCase({ input: `question ${index}` }), similarity: noMetrics }),
      ),
    );
    const verdicts = replies.flatMap((reply) => reply.verdicts);
    const skipped = verdicts.filter(({ status }) => status === "skipped");
    expect(bench.llm.requests).toHaveLength(50);
    expect(verdicts.filter(({ status }) => status === "scored")).toHaveLength(50);
    expect(skipped).toHaveLength(150);
    expect(new Set(skipped.map(({ reason, justification }) => `${reason}: ${justification}`))).toEqual(
      new Set([`quota: ${quotaText(50)}`]),
    );
    expect(
      await query("select payer, calls, day = (now() at time zone 'utc')::date as today from judge.quota_days"),
    ).toEqual([{ payer: "instance", calls: "50", today: true }]);
  });

  test("is kept on a disk that takes a tenth of a second for each commit, without a call skipped for it", async () => {
    const quota = { SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "1000" };
    await Promise.all([bench.startJudge(quota), bench.startJudge(quota)]);
    await query(`
      create function judge.take_long() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.1); return new; end $$;
      create trigger take_long before update on judge.quota_days for each row execute function judge.take_long()`);
    try {
      const replies = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          bench.ask({ case: buildCase({ input: `question ${index}` }), similarity: noMetrics }),
        ),
      );
      expect(replies.flatMap(({ verdicts }) => verdicts).filter(({ status }) => status !== "scored")).toEqual([]);
      expect(await query("select calls from judge.quota_days")).toEqual([{ calls: "64" }]);
    } finally {
      await query("drop trigger take_long on judge.quota_days; drop function judge.take_long()");
    }
  });

  test("counts every attempt, retries and repairs too, and no embedding", async () => {
    await bench.startJudge({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "3", SERVICE_JUDGE_RETRIES: "1" });
    bench.llm.enqueue({ kind: "status", status: 503, retryAfter: 0 }, { kind: "text", text: "no rating" });
    await expect(bench.ask()).resolves.toMatchObject({
      verdicts: [{ status: "scored" }],
      similarity: { vector: expect.closeTo(1, 9) },
    });
    expect(bench.llm.requests.filter(({ api }) => api === "chat")).toHaveLength(3);
    await expect(bench.ask({ runNumber: 2 })).resolves.toMatchObject({
      verdicts: [{ status: "skipped", rating: null, reason: "quota", justification: quotaText(3) }],
      similarity: { jaccard: 1, vector: expect.closeTo(1, 9) },
    });
    expect(bench.llm.requests.filter(({ api }) => api === "chat")).toHaveLength(3);
  });

  test("is not used by answers from the record", async () => {
    await bench.startJudge({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "1" });
    await bench.ask({ similarity: noMetrics });
    for (const verdictMode of ["cache", "replay"] as const) {
      await expect(bench.ask({ verdictMode, similarity: noMetrics })).resolves.toMatchObject({
        verdicts: [{ status: "scored", rating: 7, source: verdictMode }],
      });
    }
    await expect(bench.ask({ similarity: noMetrics })).resolves.toMatchObject({ verdicts: [{ reason: "quota" }] });
    expect(await query("select calls from judge.quota_days")).toEqual([{ calls: "1" }]);
  });

  test("restarts with the UTC day of PostgreSQL's clock", async () => {
    await bench.startJudge({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "1" });
    await bench.ask({ similarity: noMetrics });
    await expect(bench.ask({ similarity: noMetrics })).resolves.toMatchObject({ verdicts: [{ reason: "quota" }] });
    await query("update judge.quota_days set day = day - 1");
    await expect(bench.ask({ similarity: noMetrics })).resolves.toMatchObject({ verdicts: [{ status: "scored" }] });
  });

  test("skips what cannot be counted, for nothing may go beyond it, and marks it as passing", async () => {
    await bench.startJudge({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "10" });
    await query("alter table judge.quota_days rename to quota_away");
    try {
      await expect(bench.ask({ similarity: noMetrics })).resolves.toMatchObject({
        verdicts: [
          {
            status: "skipped",
            reason: "quota",
            justification:
              "The judge-call quota cannot be counted while the database is unavailable, so no judge was asked.",
            isPassing: true,
          },
        ],
      });
      await expect(askForVariants()).resolves.toMatchObject({ failure: { reason: "quota", isPassing: true } });
    } finally {
      await query("alter table judge.quota_away rename to quota_days");
    }
    expect(bench.llm.requests).toHaveLength(0);
  });

  test("does not mark a refusal as passing when it is spent", async () => {
    await bench.startJudge({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "1" });
    await bench.ask({ similarity: noMetrics });
    const { verdicts } = await bench.ask({ runNumber: 2, similarity: noMetrics });
    expect(verdicts).toMatchObject([{ reason: "quota" }]);
    expect(verdicts[0]).not.toHaveProperty("isPassing");
    expect((await askForVariants()).failure).toEqual({ reason: "quota", message: quotaText(1) });
  });
});

test("calls are added up per project and hour, with a quota or without", async () => {
  await bench.startJudge();
  const rubrics = [buildRubric(), buildRubric({ id: "second", model: "gpt-4.1" })];
  await bench.ask({ judges: rubrics, similarity: noMetrics });
  await bench.ask({ projectId: otherProject, similarity: noMetrics });
  await bench.stopJudges();
  const hours = "select project_id, judge_calls, hour = date_trunc('hour', hour, 'UTC') as whole from judge.usage";
  expect(await query(`${hours} order by project_id`)).toEqual([
    { project_id: benchProject, judge_calls: "2", whole: true },
    { project_id: otherProject, judge_calls: "1", whole: true },
  ]);
});

describe("the used calls", () => {
  let gateway: Bus;
  beforeAll(async () => {
    gateway = connectBus({ url: bench.nats.url, service: "gateway", logger: createTestLogger().logger });
    await vi.waitFor(() => expect(gateway.status()).toBe("connected"));
  });
  afterAll(() => gateway.drain());

  const day = (organization: { organizationId: string; projectIds: string[] } | null = null) =>
    gateway.request(readJudgeDay, { organization }, { timeoutMs: 15_000 });

  test("is read by project for 24 hours, and for the day by who pays", async () => {
    await bench.startJudge();
    await query(`
      insert into judge.usage (project_id, hour, judge_calls)
      select project_id::uuid, date_trunc('hour', now(), 'UTC') - make_interval(hours => ago), calls
      from (values
        ('${benchProject}', 0, 3), ('${benchProject}', 23, 40), ('${benchProject}', 24, 500), ('${otherProject}', 0, 7)
      ) as made (project_id, ago, calls)`);
    const recent = await gateway.request(
      readJudgeUsage,
      { projectIds: [benchProject, "01999999-0000-7000-8000-0000000000ff"] },
      { timeoutMs: 15_000 },
    );
    expect(recent.projects).toEqual([{ projectId: benchProject, calls: 43 }]);

    const [{ today } = {}] = await query(
      "select sum(judge_calls)::int as today from judge.usage where hour >= date_trunc('day', now(), 'UTC')",
    );
    expect(await day()).toEqual({ used: today, limit: null });
    const organization = { organizationId: "01999999-0000-7000-8000-0000000000aa", projectIds: [otherProject] };
    expect(await day(organization)).toEqual({ used: 7, limit: null });
  });

  test("of a quota equal the quota's count", async () => {
    await bench.startJudge({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "5" });
    expect(await day()).toEqual({ used: 0, limit: 5 });
    await bench.ask({ similarity: noMetrics });
    expect(await day()).toEqual({ used: 1, limit: 5 });
  });
});
