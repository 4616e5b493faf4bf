import type { SettledTrace } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { expect, test } from "vitest";
import type { Check } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { createLiveScorerStore } from "../src/live-scorers/live-scorer-store.ts";
import type { PatternDocument } from "../src/patterns/matching/pattern.ts";
import { composePatternDocument } from "../src/patterns/pattern-document.ts";
import { putPattern } from "../src/patterns/pattern-store.ts";
import { createPatternsCheck } from "../src/patterns/patterns-check.ts";
import { buildSettledTrace } from "./builders.ts";
import { buildGroup, buildJudge } from "./judging-builders.ts";
import { buildScriptedChecks } from "./scripted-checks.ts";
import { quiet, useTestStore } from "./test-store.ts";

const store = useTestStore();

/** The database, and how many statements and how many transactions at a time it was used for. */
function watchUse() {
  const use = { statements: 0, transactionsMax: 0, answeredChars: 0 };
  let open = 0;
  async function measured<Answer extends { rows: readonly unknown[] }>(answering: Promise<Answer>): Promise<Answer> {
    const answer = await answering;
    use.answeredChars += JSON.stringify(answer.rows).length;
    return answer;
  }
  const scoped: Database["scoped"] = async (projectIds, work) => {
    open += 1;
    use.transactionsMax = Math.max(use.transactionsMax, open);
    try {
      return await store.database.scoped(projectIds, (transaction) =>
        work({
          ...transaction,
          query: (statement) => {
            use.statements += 1;
            return measured(transaction.query(statement));
          },
          pipeline: (statements) => {
            use.statements += statements.length;
            return transaction.pipeline(statements);
          },
        }),
      );
    } finally {
      open -= 1;
    }
  };
  return { use, database: { ...store.database, scoped } };
}

test("many traces of few agents are planned with few statements: their rows are locked meanwhile", async () => {
  const projectId = crypto.randomUUID();
  const liveScorers = createLiveScorerStore(store.maintenance);
  await liveScorers.put({ projectId, revision: 1, judges: [buildJudge()], groups: [buildGroup()] });
  const { judge, group } = buildScriptedChecks({ ...store, liveScorers }, {});
  const agents = [crypto.randomUUID(), crypto.randomUUID()];
  const traces = Array.from(
    { length: 200 },
    (_, index): SettledTrace => buildSettledTrace({ projectId, agentId: agents[index % 2] ?? null }),
  );
  const { use, database } = watchUse();

  await createCheckPlanner({ database, checks: [judge, group], logger: quiet, onPlanned: () => {} }).plan(traces);

  const planned = await store.query("select from monitor.checks where project_id = $1", [projectId]);
  expect(planned).toHaveLength(400);
  expect(use.statements).toBeLessThan(12);
});

test("the terms of patterns are not read to plan their check, however many there are", async () => {
  const projectId = crypto.randomUUID();
  const terms = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(4_000, "x"));
  const agentId = crypto.randomUUID();
  const chosen = ["failure", "failure", "proper"].map((polarity, at) => {
    const sent = { name: `Large ${at}`, includeTerms: terms, polarity, scopeMode: "selected", agentIds: [agentId] };
    return { id: crypto.randomUUID(), key: `custom:${at}`, document: composePatternDocument(sent, null) };
  });
  const others = [{ enabled: false }, { sampleRate: 0 }, { agentIds: ["another".repeat(10_000)] }].map((sent, at) => {
    const document = { ...(chosen[0]?.document as PatternDocument), ...sent };
    return { id: crypto.randomUUID(), key: `custom:other-${at}`, document };
  });
  const at = new Date();
  await store.database.scoped([projectId], async (transaction) => {
    for (const pattern of [...chosen, ...others]) {
      await putPattern(transaction, projectId, { ...pattern, createdAt: at, updatedAt: at });
    }
  });
  const check = createPatternsCheck({ watchesOtlp: true } as Parameters<typeof createPatternsCheck>[0]);
  const { use, database } = watchUse();

  const planner = createCheckPlanner({ database, checks: [check], logger: quiet, onPlanned: () => {} });
  await planner.plan([buildSettledTrace({ projectId, agentId })]);

  const [planned] = await store.query<{ plan: { patternIds: string[] } }>(
    "select plan from monitor.checks where project_id = $1",
    [projectId],
  );
  expect(planned?.plan.patternIds.toSorted()).toEqual(chosen.map(({ id }) => id).sort());
  expect(use.answeredChars).toBeLessThan(10_000);
});

test("where one kind cannot plan, the others do one after the other, since each records the same traces", async () => {
  const projectId = crypto.randomUUID();
  const kindNamed = (kind: Check["kind"], isBroken = false): Check => ({
    kind,
    plan: async ({ traceId }) => {
      if (isBroken) throw new Error("broken");
      return [{ kind, scorerId: "", subjectId: traceId, round: 0, plan: null }];
    },
    carryOut: () => Promise.reject(new Error("not asked")),
  });
  const checks = [kindNamed("patterns"), kindNamed("judge", true), kindNamed("topic"), kindNamed("custom")];
  const { use, database } = watchUse();
  const planner = createCheckPlanner({ database, checks, logger: quiet, onPlanned: () => {} });

  await expect(planner.plan([buildSettledTrace({ projectId })])).rejects.toThrow("broken");

  const text = "select kind from monitor.checks where project_id = $1 order by kind";
  expect(await store.query(text, [projectId])).toEqual([{ kind: "custom" }, { kind: "patterns" }, { kind: "topic" }]);
  expect(use.transactionsMax).toBe(1);
});
