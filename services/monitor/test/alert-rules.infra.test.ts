import {
  type AlertMetric,
  alertRuleReply,
  alertTrialReply,
  monitorActRecorded,
  type RecordedAct,
} from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test, vi } from "vitest";
import { composeAlertRule } from "../src/alerts/alert-rule.ts";
import { measure } from "../src/alerts/measurement-reader.ts";
import { useWebhookBench } from "./webhook-bench.ts";

const bench = useWebhookBench();

describe("an alert rule", () => {
  /** Traces of the last minutes. */
  async function addTraces(projectId: string, count: number, facts: object): Promise<string[]> {
    const ids = Array.from({ length: count }, () => uuidv7(Date.now()));
    await bench.store.query(
      `insert into monitor.seen_traces
         (project_id, trace_id, name, created_at, settled_at, operational_class, latency_ms, has_error, failed_tools, tool_calls)
       select $1, id, 'shop', now() - interval '1 minute', now(), class, latency, error, tools, calls
       from unnest($2::uuid[]) as id,
         json_to_record($3) as facts (class text, latency double precision, error bool, tools text[], calls integer)`,
      [
        projectId,
        ids,
        JSON.stringify({ class: "healthy-response", latency: 100, error: false, tools: [], calls: 0, ...facts }),
      ],
    );
    return ids;
  }

  test("measures the traffic of its window", async () => {
    const { projectId } = bench.newProject();
    const [first = "", second = ""] = await addTraces(projectId, 15, { calls: 1 });
    await addTraces(projectId, 5, {
      class: "agent-tool-failure:pay",
      error: true,
      tools: ["pay"],
      calls: 2,
      latency: 900,
    });
    await addTraces(projectId, 1, { class: null });
    await bench.store.query(
      `insert into monitor.seen_traces (project_id, trace_id, name, created_at, operational_class, has_error)
       values ($1, gen_random_uuid(), 'old', now() - interval '2 hours', 'agent-trace-error', true)`,
      [projectId],
    );
    for (const [rating, ago] of [
      ["down", 2],
      ["up", 1],
      ["down", 0],
    ]) {
      await bench.store.query(
        `insert into monitor.feedback (project_id, id, trace_id, rating, created_at)
         values ($1, gen_random_uuid(), $2, $3, now() - $4 * interval '1 s')`,
        [projectId, first, rating, ago],
      );
    }
    // Ratings of others are kept apart from those of live scorers.
    for (const [traceId, scorer, rating] of [
      [first, "online-eval:a", 2],
      [second, "online-eval:a", 9],
      [second, "external:theirs", 10],
    ]) {
      await bench.store.query(
        `insert into monitor.verdicts (project_id, trace_id, scorer_key, id, scorer_name, rating, created_at)
         values ($1, $2, $3, gen_random_uuid(), 'a', $4, now())`,
        [projectId, traceId, scorer, rating],
      );
    }
    // A vote is not a failure found by a check.
    for (const [traceId, pattern, kind] of [
      [first, "custom:a", "pattern"],
      [second, "negative-feedback", "feedback"],
    ]) {
      await bench.store.query(
        `insert into monitor.events (project_id, id, pattern_key, kind, polarity, severity, trace_id, created_at)
         values ($1, gen_random_uuid(), $2, $3, 'failure', 'low', $4, now())`,
        [projectId, pattern, kind, traceId],
      );
    }

    const expected: Record<AlertMetric, { value: number; samples: number }> = {
      failureRate: { value: 6 / 20, samples: 20 },
      downvoteRate: { value: 1 / 20, samples: 20 },
      toolFailureRate: { value: 5 / 20, samples: 20 },
      p95LatencyMs: { value: 900, samples: 20 },
      errorCount: { value: 5, samples: 20 },
      meanRating: { value: 5.5, samples: 2 },
      traceCount: { value: 20, samples: 20 },
    };
    for (const [metric, measured] of Object.entries(expected)) {
      const limit = { comparison: "above", threshold: 0, windowMinutes: 60 } as const;
      const rule = { name: "a", metric: metric as AlertMetric, ...limit };
      const found = await bench.store.database.scoped([projectId], (transaction) =>
        measure(transaction, projectId, composeAlertRule(rule, null)),
      );
      expect({ metric, ...found }).toEqual({ metric, ...measured });
    }
  });

  test("raises its signal and tells webhooks when it is broken by enough traces, once in its cooldown", async () => {
    const project = bench.newProject();
    const { url, received } = bench.receiver.open(200);
    await bench.createWebhook(project, { url });
    await addTraces(project.projectId, 12, { class: "agent-trace-error", error: true });
    const rule = { name: "Failing", metric: "failureRate", comparison: "above", threshold: 0.5, windowMinutes: 10 };
    const send = async (sent: object) =>
      alertRuleReply.parse((await project.send("POST", "/agent-monitoring/alert-rules", sent)).body).alertRule;
    await send({ ...rule, name: "Few", minSamples: 13 });
    await send({ ...rule, name: "At it", threshold: 1 });
    await send({ ...rule, name: "Off", enabled: false });
    await send({ ...rule, name: "Quiet", metric: "traceCount", comparison: "below", threshold: 12 });
    const { _id } = await send({ ...rule, severity: "critical" });
    await bench.untilSettled(project, 1);

    expect(JSON.parse(received[0]?.text ?? "null")).toMatchObject({
      event: "signal.new",
      severity: "critical",
      patternKey: `alert-rule:${_id}`,
      text: "[Monitor] CRITICAL: Failure rate was 100% over the last 10 minutes (threshold 50%, 12 traces). Rule: Failing.",
    });
    const fired = await project.send("GET", `/agent-monitoring/alert-rules/${_id}`);
    expect(fired.body.alertRule.lastFiredAt).toEqual(expect.any(String));

    // Evaluated again within its cooldown, it is silent.
    await bench.store.query("update monitor.alert_rules set evaluated_at = null where project_id = $1", [
      project.projectId,
    ]);
    const left = "select from monitor.alert_rules where project_id = $1 and enabled and evaluated_at is null";
    await vi.waitFor(async () => expect(await bench.store.query(left, [project.projectId])).toHaveLength(0));
    const { signals } = (await project.send("GET", "/monitor/signals")).body;
    expect(signals).toMatchObject([{ patternKey: `alert-rule:${_id}`, type: "alert_rule", occurrenceCount: 1 }]);
  });

  test("is tried on whole windows alone", async () => {
    const project = bench.newProject();
    await addTraces(project.projectId, 2, {});
    const [old] = await addTraces(project.projectId, 1, {});
    await bench.store.query(
      "update monitor.seen_traces set created_at = now() - interval '1100 minutes' where trace_id = $1",
      [old],
    );
    const rule = { metric: "traceCount", comparison: "below", threshold: 2, windowMinutes: 1_000, days: 1 };

    const { body } = await project.send("POST", "/agent-monitoring/alert-rules/dry-run", rule);

    // A day has one of them, and 440 minutes of another.
    expect(body).toMatchObject({ windows: 1, crossed: 0, newest: { value: 2 } });
  });

  test("is tried on the last days without being stored", async () => {
    const project = bench.newProject();
    const at = "/agent-monitoring/alert-rules";
    const rule = { metric: "failureRate", comparison: "above", threshold: 0.5, windowMinutes: 60, minSamples: 2 };
    await addTraces(project.projectId, 4, { class: "agent-trace-error", error: true });
    const old = await addTraces(project.projectId, 3, { class: "agent-trace-error", error: true });
    const fine = await addTraces(project.projectId, 3, {});
    const few = await addTraces(project.projectId, 1, { class: "agent-trace-error", error: true });
    for (const [ids, minutes] of [
      [old, 150],
      [fine, 210],
      [few, 270],
    ] as const) {
      await bench.store.query(
        "update monitor.seen_traces set created_at = now() - $2 * interval '1 minute' where trace_id = any($1::uuid[])",
        [ids, minutes],
      );
    }
    const trial = async (more: object = {}) => {
      const { status, body } = await project.send("POST", `${at}/dry-run`, { ...rule, ...more });
      expect(status).toBe(200);
      return alertTrialReply.strict().parse(body);
    };

    const tried = await trial();
    expect(tried).toMatchObject({
      windows: 5,
      undecided: 2,
      crossed: 2,
      alertCount: 2,
      newest: { value: 1, samples: 4 },
    });
    expect(tried.alerts).toMatchObject([
      { at: tried.until, value: 1, samples: 4 },
      {
        value: 1,
        samples: 3,
        summary: "Failure rate was 100% over the last hour (threshold 50%, 3 traces). Rule: Dry run.",
      },
    ]);
    expect(Date.parse(tried.until) - Date.parse(tried.alerts[1]?.at ?? "")).toBe(120 * 60_000);
    // The older one silences the newer.
    expect(await trial({ cooldownMinutes: 180 })).toMatchObject({
      crossed: 2,
      alertCount: 1,
      alerts: [{ samples: 3 }],
    });
    // Hours in which nothing happened count, too.
    expect(await trial({ metric: "traceCount", comparison: "below", threshold: 1 })).toMatchObject({
      windows: 5,
      undecided: 0,
      crossed: 1,
    });
    await trial({ name: null, days: null });
    for (const metric of ["downvoteRate", "toolFailureRate", "p95LatencyMs", "errorCount", "meanRating"]) {
      await trial({ metric });
    }
    expect((await project.send("GET", at)).body.alertRules).toEqual([]);
    expect(await bench.newProject().send("POST", `${at}/dry-run`, rule)).toMatchObject({
      status: 200,
      body: { windows: 1, undecided: 1, alertCount: 0 },
    });
    for (const [sent, error] of [
      [{ ...rule, name: "", days: 31 }, "name is required"],
      [{ ...rule, name: null, minSamples: 0, days: 31 }, "minSamples must be a whole number between 1 and 10000"],
      [{ ...rule, days: 31 }, "days must be a whole number between 1 and 30"],
      [{ ...rule, metric: "mood" }, expect.stringMatching(/^metric must be one of/)],
      [{ ...rule, threshold: undefined }, "threshold is required"],
    ]) {
      expect(await project.send("POST", `${at}/dry-run`, sent)).toMatchObject({ status: 400, body: { error } });
    }
  });

  test("is created, changed and deleted, and refused with the reason", async () => {
    const project = bench.newProject();
    const at = "/agent-monitoring/alert-rules";
    const sent = { name: "Slow", metric: "p95LatencyMs", comparison: "above", threshold: 5_000, windowMinutes: 15 };
    const created = await project.send("POST", at, sent);
    expect(created.status).toBe(201);
    const { _id, ...rule } = alertRuleReply.parse(created.body).alertRule;
    expect(rule).toMatchObject({ ...sent, agentId: null, severity: "medium", enabled: true, cooldownMinutes: 60 });
    const changed = await project.send("PUT", `${at}/${_id}`, { threshold: 9_000, enabled: false });
    expect(changed.body.alertRule).toMatchObject({ ...sent, threshold: 9_000, enabled: false });
    expect((await project.send("GET", at)).body.alertRules).toHaveLength(1);
    for (const [body, error] of [
      [{}, "name is required"],
      [{ ...sent, metric: "luck" }, /^metric must be one of: failureRate, /],
      [{ ...sent, comparison: "equal" }, "comparison must be one of: above, below"],
      [{ ...sent, threshold: "1" }, "threshold must be a number"],
      [{ ...sent, windowMinutes: 0 }, "windowMinutes must be a whole number between 1 and 1440"],
      [{ ...sent, name: 5, windowMinutes: null }, "windowMinutes is required"],
      [{ ...sent, name: "", metric: "luck" }, "name is required"],
      [{ ...sent, name: " ", enabled: 1 }, "enabled must be a boolean"],
      [{ ...sent, name: " " }, "name must be a string of at most 200 characters"],
      [{ ...sent, name: "a\0b" }, "name must be a string of at most 200 characters"],
      [{ ...sent, agentId: "shop", severity: "x" }, "agentId must be the id of an agent"],
      [{ ...sent, severity: "x" }, "severity must be one of: low, medium, high, critical"],
      [{ ...sent, cooldownMinutes: 1.5 }, "cooldownMinutes must be a whole number between 1 and 10080"],
      [{ ...sent, minSamples: null }, "minSamples must be a whole number between 1 and 10000"],
    ] as const) {
      const refused = await project.send("POST", at, body);
      expect(refused, JSON.stringify(body)).toEqual({ status: 400, body: { error: expect.stringMatching(error) } });
    }
    expect((await bench.newProject().send("DELETE", `${at}/${_id}`)).status).toBe(404);
    expect((await project.send("DELETE", `${at}/${_id}`)).status).toBe(204);
    expect((await project.send("GET", `${at}/${_id}`)).body).toEqual({ error: "Alert rule not found" });
  });
});

test("every administrative act is written to the audit log, with the user and the change, without addresses, scripts and secrets", async () => {
  const project = bench.newProject();
  bench.ingest.addAgent(project.projectId, "shop");
  const canary = "canary-3f9a";
  /** Makes one, changes it twice to the same, and deletes it. */
  async function live(at: string, reply: string, sent: object, change: object): Promise<void> {
    const made = await project.send("POST", at, sent);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const one = `${at}/${made.body[reply]._id}`;
    for (const _time of [1, 2]) expect((await project.send("PUT", one, change)).status).toBe(200);
    if (reply === "webhook") expect((await project.send("POST", `${one}/rotate-secret`)).status).toBe(200);
    expect((await project.send("DELETE", one)).status).toBe(204);
    expect((await project.send("DELETE", one)).status).toBe(404);
  }

  const rule = { name: "Slow", metric: "p95LatencyMs", comparison: "above", threshold: 5_000, windowMinutes: 15 };
  await live("/agent-monitoring/alert-rules", "alertRule", rule, { threshold: 9_000, enabled: false });
  const url = `https://hooks.example.com/${canary}`;
  await live("/agent-monitoring/webhooks", "webhook", { url }, { url: `${url}-2`, description: canary });
  const pattern = { name: "Refunds", includeTerms: [canary] };
  await live("/monitor/patterns", "pattern", pattern, { enabled: false });
  const script = `function score() { return "${canary}" ? 1 : 0; }`;
  const scorer = { name: "House", kind: "code", script };
  await live("/agent-monitoring/custom-evaluators", "evaluator", scorer, { script: `${script} ` });
  const defaults = { sampleRate: 0.25, enabledBuiltinPatterns: [] };
  for (const _time of [1, 2]) await project.send("PUT", "/agent-monitoring/settings/monitoring-defaults", defaults);
  const channels = [`webhook:${url}`];
  for (const _time of [1, 2]) await project.send("PUT", "/monitor/profiles/shop", { enabled: true, channels });
  await project.send("PUT", "/monitor/profiles/shop", { sampleRate: 7 });

  const rows = await bench.store.query<{ body: string }>(
    "select body from monitor.outbox where subject = $1 and body::jsonb ->> 'projectId' = $2 order by id",
    [monitorActRecorded.subject, project.projectId],
  );
  const acts = rows.map(({ body }): RecordedAct => monitorActRecorded.body.parse(JSON.parse(body)));
  expect(acts.map(({ action, details }) => [action, details])).toEqual([
    ["alert-rule.created", { name: "Slow", enabled: true }],
    ["alert-rule.changed", { name: "Slow", changed: "enabled, threshold", enabled: false }],
    ["alert-rule.deleted", { name: "Slow" }],
    ["webhook.created", { host: "hooks.example.com", enabled: true }],
    ["webhook.changed", { host: "hooks.example.com", changed: "description, url", enabled: true }],
    ["webhook.secret-rotated", { host: "hooks.example.com" }],
    ["webhook.deleted", { host: "hooks.example.com" }],
    ["pattern.created", { name: "Refunds", enabled: true }],
    ["pattern.changed", { name: "Refunds", changed: "enabled", enabled: false }],
    ["pattern.deleted", { name: "Refunds" }],
    ["custom-evaluator.created", { name: "House", kind: "code", enabled: true }],
    ["custom-evaluator.changed", { name: "House", changed: "script", enabled: true }],
    ["custom-evaluator.deleted", { name: "House" }],
    ["monitoring-defaults.changed", { changed: "sampleRate", sampleRate: 0.25 }],
    ["monitoring-profile.changed", { changed: "channels, enabled", enabled: true }],
  ]);
  expect(JSON.stringify(rows)).not.toContain(canary);
  expect(acts[0]).toMatchObject({ actor: { type: "key", id: project.projectId }, organizationId: null });
});
