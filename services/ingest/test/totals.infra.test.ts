import { uuidv7 } from "@touchstone/service-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createOldSpansStore } from "../src/retention/old-spans-store.ts";
import { sweepOldSpans } from "../src/retention/sweep-old-spans.ts";
import { createTraceRemover } from "../src/trace-store/removing/trace-remover.ts";
import { until, useIngest } from "./running-ingest.ts";

/** Random schedules, and steps in each. `TOTALS_SCHEDULES` asks for more. */
const schedules = Number(process.env.TOTALS_SCHEDULES ?? 4);
const stepsMax = 14;

const { ingest, pools } = useIngest();

const dayMs = 24 * 60 * 60 * 1000;
const frameworks = ["a", "b"];
const retentionDays = 60;

type Step =
  | { kind: "submit"; span: number; parent: number | null; age: number; framework: number; isEval: boolean }
  | { kind: "export"; trace: number; spans: { span: number; parent: number | null; age: number }[] }
  | { kind: "delete"; nth: number }
  | { kind: "deleteMatching"; framework: number }
  | { kind: "sweep" }
  | { kind: "settle" };

// Few identities, so that replays, late parents, demotions and removals of the same spans meet.
const age = fc.constantFrom(0, 1, 20, 100, 107);
const maybeParent = fc.option(fc.nat(7), { nil: null, freq: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      span: fc.nat(7),
      parent: maybeParent,
      age,
      framework: fc.nat(2),
      isEval: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("export" as const),
      trace: fc.integer({ min: 1, max: 3 }),
      spans: fc.array(fc.record({ span: fc.integer({ min: 1, max: 7 }), parent: maybeParent, age }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deleteMatching" as const), framework: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "settle" as const }) },
);

test("totalCount is a count of the rows after every step of any schedule, with every filter", {
  tags: ["spec:traces.list.totalCount"],
  timeout: 120_000,
}, async () => {
  await fc.assert(
    // Steps in pairs run concurrently.
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.option(step, { nil: null })), { maxLength: stepsMax }),
      async (plan) => {
        const projectId = uuidv7(Date.now());
        for (const [one, other] of plan) {
          await Promise.all([take(projectId, one), other === null ? null : take(projectId, other)]);
          await expectExactTotals(projectId);
        }
      },
    ),
    { numRuns: schedules },
  );
});

async function take(projectId: string, taken: Step): Promise<void> {
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const request = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status, text } = await ingest.call(projectId, method, path, request);
    // A removal and an arrival may meet over one span, and a drop may meet both: those get a retry response.
    if (![200, 201, 404, 503].includes(status)) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  };
  if (taken.kind === "submit") {
    await call("POST", "/api/v1/ingest/traces", {
      name: "span",
      spanId: `s${taken.span}`,
      ...(taken.parent === null ? {} : { parentSpanId: `s${taken.parent}` }),
      ...(frameworks[taken.framework] === undefined ? {} : { framework: frameworks[taken.framework] }),
      ...(taken.isEval ? { source: "eval-run" } : {}),
      timestamp: new Date(Date.now() - taken.age * dayMs).toISOString(),
    });
  } else if (taken.kind === "export") {
    const spans = taken.spans.map(({ span, parent, age: spanAge }) => ({
      traceId: `${taken.trace}`.repeat(32),
      spanId: `${span}`.repeat(16),
      ...(parent === null || parent === 0 ? {} : { parentSpanId: `${parent}`.repeat(16) }),
      name: "span",
      startTimeUnixNano: `${Date.now() - spanAge * dayMs}000000`,
    }));
    await call("POST", "/api/v1/otel/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  } else if (taken.kind === "delete") {
    const { rows } = await pools.maintenance.query<{ id: string }>({
      name: "any_span",
      text: "select id from ingest.spans where project_id = $1 order by id limit 1 offset $2",
      values: [projectId, taken.nth],
    });
    if (rows[0] !== undefined) await call("DELETE", `/api/v1/ingest/traces/${rows[0].id}`);
  } else if (taken.kind === "deleteMatching") {
    await call("DELETE", `/api/v1/ingest/traces?framework=${frameworks[taken.framework]}`);
  } else if (taken.kind === "sweep") {
    await sweepOldSpans({
      store: createOldSpansStore(pools.maintenance),
      remover: createTraceRemover(pools.maintenance),
      retentionDays,
      mayGoOn: () => true,
    }).catch((thrown) => {
      if (thrown.code !== "store_unavailable") throw thrown;
    });
  } else {
    // What waits for a parent, or to be derived, need not wait for its minute: it is promoted now.
    await pools.maintenance.query({
      name: "traces_due_now",
      text: "update ingest.traces set due_at = now() - interval '1 second' where project_id = $1 and due_at is not null",
      values: [projectId],
    });
    await pools.maintenance.query({
      name: "parents_due_now",
      text: "update ingest.awaited_parents set due_at = now() - interval '1 second' where project_id = $1 and due_at > now()",
      values: [projectId],
    });
    await until(async () => {
      const { rows } = await pools.maintenance.query<{ n: number }>({
        name: "due_of_project",
        text: `
          select (
            (select count(*) from ingest.traces where project_id = $1 and due_at <= now())
            + (select count(*) from ingest.awaited_parents where project_id = $1 and due_at <= now())
          )::integer as n`,
        values: [projectId],
      });
      return rows[0]?.n === 0;
    });
  }
}

/** The list and the rows, read until no sweeper came between the two readings. */
async function expectExactTotals(projectId: string): Promise<void> {
  const filters = [
    { query: "", condition: "true" },
    { query: "&source=production", condition: "source is null" },
    { query: "&source=eval", condition: "source = 'eval-run'" },
    ...frameworks.map((name) => ({ query: `&framework=${name}`, condition: `framework = '${name}'` })),
    { query: "&framework=a&source=eval", condition: "framework = 'a' and source = 'eval-run'" },
  ];
  for (const { query, condition } of filters) {
    const count = async (): Promise<number> => {
      const { rows } = await pools.maintenance.query<{ n: number }>({
        name: `roots${query}`,
        text: `select count(*)::integer as n from ingest.spans where project_id = $1 and is_root and ${condition}`,
        values: [projectId],
      });
      return rows[0]?.n ?? -1;
    };
    for (let attempt = 0; ; attempt += 1) {
      const before = await count();
      const { json } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?limit=100${query}`);
      if ((await count()) !== before && attempt < 20) continue;
      expect([query, json.totalCount, json.traces.length]).toEqual([query, before, before]);
      break;
    }
  }
}
