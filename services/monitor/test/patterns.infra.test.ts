import { limits, patternList, patternReply, type SettledTrace } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { describe, expect, test, vi } from "vitest";
import type { ProjectClient } from "./start-monitor.ts";
import {
  asked,
  createPattern,
  fakeIngest,
  judgeBy,
  listSignals,
  liveCallsPerDay,
  newProject,
  outcomesOf,
  query,
  record,
  settle,
  store,
  untilChecked,
  useWatchingMonitor,
} from "./watching-bench.ts";

useWatchingMonitor();

describe("patterns", () => {
  test("of many megabytes are listed in pages, each of them once and the built-in ones first", async () => {
    const project = newProject();
    const terms = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(4_000, "x"));
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      ids.push((await createPattern(project, { name: `Large ${at}`, includeTerms: terms, enabled: false }))._id);
    }

    const { body: first } = await project.send("GET", "/monitor/patterns");
    const { body: second } = await project.send("GET", `/monitor/patterns?cursor=${first.nextCursor}`);

    expect(first).toMatchObject({ hasNextPage: true, truncatedBy: "bytes" });
    expect(JSON.stringify(first).length).toBeLessThan(limits.listBytesMax + 256 * 1024);
    expect(second).not.toHaveProperty("hasNextPage");
    expect([first, second].flatMap((page) => patternList.parse(page).patterns.map(({ _id }) => _id)).slice(6)).toEqual(
      ids,
    );
    const wrong = await project.send("GET", "/monitor/patterns?cursor=first");
    expect(wrong).toMatchObject({ status: 400, body: { error: "cursor must be the id of a pattern" } });
  });

  test("that are enabled have a bounded size together, which a change may make smaller", async () => {
    const project = newProject();
    const terms = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(4_000, "x"));
    const large = { includeTerms: terms, excludeTerms: terms };
    const first = await createPattern(project, { name: "First", ...large });
    await createPattern(project, { name: "Second", ...large });
    const tooLarge = {
      status: 400,
      body: { error: "The enabled patterns of a project have at most 4194304 bytes together" },
    };

    expect(await project.send("POST", "/monitor/patterns", { name: "Third", ...large })).toEqual(tooLarge);
    const third = await createPattern(project, { name: "Third", ...large, enabled: false });
    expect(await project.send("PATCH", `/monitor/patterns/${third._id}`, { enabled: true })).toEqual(tooLarge);

    await query(
      "update monitor.patterns set document = jsonb_set(document::jsonb, '{enabled}', 'true') where id = $1",
      [third._id],
    );
    const smaller = await project.send("PATCH", `/monitor/patterns/${first._id}`, { excludeTerms: [] });
    expect(smaller).toMatchObject({ status: 200, body: { pattern: { excludeTerms: [] } } });
    expect((await project.send("PATCH", `/monitor/patterns/${first._id}`, { excludeTerms: terms })).status).toBe(400);
  });

  test("are created, read, changed at either address and deleted; built-in ones stand first and are read-only", {
    tags: ["spec:monitor.patterns"],
  }, async () => {
    const project = newProject();
    const sent = { name: "Angry customer", includeTerms: ["refund"], severity: "high" };
    const created = await project.send("POST", "/monitor/patterns", sent);
    expect(created.status).toBe(201);
    const { pattern } = patternReply.parse(created.body);
    expect(pattern).toMatchObject({ ...sent, key: "custom:angry-customer", source: "custom", readOnly: false });
    const { key } = await createPattern(project, sent);
    expect(key).toBe("custom:angry-customer-2");

    const { patterns } = patternList.parse((await project.send("GET", "/monitor/patterns")).body);
    expect(patterns.map((each) => each.key)).toEqual([
      "secrets-in-response",
      "pii-in-response",
      "prompt-injection-echo",
      "profanity-in-response",
      "refusal-response",
      "malformed-json-response",
      "custom:angry-customer",
      "custom:angry-customer-2",
    ]);
    expect(patterns[0]).toMatchObject({ _id: "secrets-in-response", readOnly: true, enabled: false });
    expect((await newProject().send("GET", "/monitor/patterns")).body.patterns).toHaveLength(6);

    const at = `/monitor/patterns/${pattern._id}`;
    const mirrored = `/agent-monitoring/patterns/${pattern._id}`;
    for (const [method, path, severity] of [
      ["PUT", at, "low"],
      ["PATCH", at, "medium"],
      ["PUT", mirrored, "high"],
      ["PATCH", mirrored, "critical"],
    ] as const) {
      const changed = await project.send(method, path, { severity });
      expect(changed.status).toBe(200);
      expect(patternReply.parse(changed.body).pattern).toMatchObject({ name: "Angry customer", severity });
    }
    expect((await project.send("GET", at)).body.pattern.severity).toBe("critical");
    expect((await project.send("PUT", at, { regex: "a(" })).status).toBe(400);

    for (const [method, path] of [
      ["PUT", "/monitor/patterns/pii-in-response"],
      ["PATCH", "/agent-monitoring/patterns/pii-in-response"],
      ["DELETE", "/monitor/patterns/pii-in-response"],
    ] as const) {
      const refused = await project.send(method, path, method === "DELETE" ? undefined : { severity: "low" });
      expect(refused).toEqual({ status: 403, body: { error: "Built-in patterns are read-only" } });
    }
    expect((await project.send("GET", "/monitor/patterns/pii-in-response")).body.pattern.key).toBe("pii-in-response");

    expect((await newProject().send("DELETE", at)).status).toBe(404);
    expect(await project.send("DELETE", at)).toEqual({ status: 204, body: null });
    const missing = { status: 404, body: { error: "Pattern not found" } };
    expect(await project.send("GET", at)).toEqual(missing);
    expect(await project.send("DELETE", mirrored)).toEqual(missing);
    expect(await project.send("PATCH", mirrored, {})).toEqual(missing);
    expect(await project.send("GET", "/monitor/patterns/none")).toEqual(missing);
  });

  test("are refused with the reason", async () => {
    const project = newProject();
    for (const [body, error] of [
      [{}, "Pattern name is required"],
      [{ name: "a" }, "Add at least one condition (includeTerms, regex, or semanticPrompt)"],
      [{ name: "a", includeTerms: ["b"], severity: "x" }, "severity must be one of: low, medium, high, critical"],
      [{ name: "a", regex: "(?=a)" }, "Invalid regex: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
    ] as const) {
      expect(await project.send("POST", "/monitor/patterns", body)).toEqual({ status: 400, body: { error } });
    }
  });
});

describe("a settled trace", () => {
  test("is checked once, raises one signal for each pattern and agent, and counts every occurrence", async () => {
    const project = newProject();
    const agentId = fakeIngest.addAgent(project.projectId, "shop");
    const { key } = await createPattern(project, { includeTerms: ["lawyer"] });
    await createPattern(project, { name: "Thanks", includeTerms: ["thank"], polarity: "proper" });
    await createPattern(project, { name: "Other", includeTerms: ["unheard of"] });
    const traces = Array.from({ length: 8 }, (_, number) =>
      record(project, { input: `Question ${number}`, output: "Thank you, my lawyer says." }, { agentId }),
    );

    await settle(...traces);
    await settle(...traces.slice(0, 4));
    await untilChecked(project, 8);

    const [signal, ...others] = await listSignals(project);
    expect(others).toEqual([]);
    expect(signal).toMatchObject({
      patternKey: key,
      type: "pattern_match",
      status: "open",
      polarity: "failure",
      severity: "medium",
      summary: 'The pattern "Refunds" matches: weather-agent',
      agentId: { _id: agentId, name: "shop" },
      occurrenceCount: 8,
    });
    expect(new Set(signal?.occurrences?.map(({ traceId }) => traceId))).toEqual(new Set(traces.map((t) => t.traceId)));
    expect(signal?.occurrences?.[0]).toMatchObject({ agentId, responsePreview: "Thank you, my lawyer says." });
    expect((await listSignals(project, "?polarity=all")).map(({ polarity }) => polarity).toSorted()).toEqual([
      "failure",
      "proper",
    ]);
    const events = await query(
      "select pattern_key, count(*)::int as n from monitor.events where project_id = $1 group by 1 order by 1",
      [project.projectId],
    );
    expect(events).toEqual(
      [
        { pattern_key: key, n: 8 },
        { pattern_key: "custom:thanks", n: 8 },
      ].toSorted((one, other) => (one.pattern_key < other.pattern_key ? -1 : 1)),
    );
  });

  test("has the first of the enabled built-in patterns that matches", async () => {
    const project = newProject();
    const enabledBuiltinPatterns = ["refusal-response", "pii-in-response"];
    await project.send("PUT", "/agent-monitoring/settings/monitoring-defaults", { enabledBuiltinPatterns });

    await settle(record(project, { output: "I can't help with that. Ask jane@acme.io." }));
    await untilChecked(project, 1);

    expect(await listSignals(project)).toMatchObject([
      {
        patternKey: "pii-in-response",
        type: "pii_in_response",
        severity: "high",
        rootCause: "The response shows an e-mail address.",
      },
    ]);
  });

  test("is not checked where it is disabled: monitor:false, an evaluation's, a profile that is off", async () => {
    const project = newProject();
    await createPattern(project, { includeTerms: ["lawyer"] });
    const offId = fakeIngest.addAgent(project.projectId, "off");
    await project.send("PUT", "/monitor/profiles/off", { enabled: false });
    const said = { output: "My lawyer." };

    await settle(
      record(project, said, { monitor: false }),
      record(project, said, { trafficSource: "eval-run" }),
      record(project, said, { agentId: offId }),
      record(project, said, { trafficSource: "eval-run", monitor: true }),
      record(project, said),
    );
    await untilChecked(project, 2);

    expect(await listSignals(project)).toMatchObject([{ occurrenceCount: 2 }]);
  });

  test("is classified by its own facts, and events tell of the failing ones", async () => {
    const project = newProject();
    const traces = [
      record(project, {}, { failedTools: ["search", "pay"], hasError: true }),
      record(project, {}, { hasError: true }),
      record(project, {}, { isOutputEmpty: true }),
      record(project, {}),
      record(project, {}, { monitor: false, hasError: true }),
    ];
    const reads = fakeIngest.reads();

    await settle(...traces);
    const classes = () =>
      query("select trace_id, operational_class from monitor.seen_traces where project_id = $1", [project.projectId]);
    await vi.waitFor(async () => expect(await classes()).toHaveLength(5));

    const byTrace = new Map((await classes()).map((row) => [row.trace_id, row.operational_class]));
    expect(traces.map(({ traceId }) => byTrace.get(traceId))).toEqual([
      "agent-tool-failure:search",
      "agent-trace-error",
      "empty-agent-response",
      "healthy-response",
      null,
    ]);
    const events = await query(
      "select pattern_key from monitor.events where project_id = $1 and kind = 'operational' order by 1",
      [project.projectId],
    );
    expect(events.map((row) => row.pattern_key)).toEqual([
      "agent-tool-failure:pay",
      "agent-tool-failure:search",
      "agent-trace-error",
      "empty-agent-response",
    ]);
    expect(await listSignals(project, "?polarity=all")).toEqual([]);
    expect(fakeIngest.reads()).toBe(reads);

    // It grew: the missing part has arrived.
    await settle({ ...(traces[2] as SettledTrace), isOutputEmpty: false });
    await vi.waitFor(async () => {
      const left = "select from monitor.events where project_id = $1 and pattern_key = 'empty-agent-response'";
      expect(await query(left, [project.projectId])).toHaveLength(0);
    });
  });

  test("waits for an unavailable ingest, and then is checked", async () => {
    const project = newProject();
    await createPattern(project, { includeTerms: ["lawyer"] });
    fakeIngest.isUnavailable = true;
    await settle(record(project, { output: "My lawyer." }));
    await vi.waitFor(async () => expect(await outcomesOf(project)).toEqual([null]));
    fakeIngest.isUnavailable = false;

    await untilChecked(project, 1);
    expect(await listSignals(project)).toMatchObject([{ occurrenceCount: 1 }]);
  });

  test("finds nothing of a pattern that is paused while the check waits", async () => {
    const project = newProject();
    const paused = await createPattern(project, { includeTerms: ["lawyer"] });
    await createPattern(project, { includeTerms: ["sue"] });
    fakeIngest.isUnavailable = true;
    await settle(record(project, { output: "My lawyer will sue." }));
    await vi.waitFor(async () => expect(await outcomesOf(project)).toEqual([null]));
    await project.send("PATCH", `/monitor/patterns/${paused._id}`, { enabled: false });
    fakeIngest.isUnavailable = false;

    await untilChecked(project, 1);
    expect(await listSignals(project)).toMatchObject([{ occurrenceCount: 1 }]);
  });

  test("counts no try while ingest reports an outage of its store, and one when ingest cannot read the trace", async () => {
    const readTries = (project: ProjectClient) =>
      query("select attempts, reason from monitor.checks where project_id = $1", [project.projectId]);
    const outage = { isOutage: true, attempts: 0 };
    const poison = { isOutage: false, attempts: 1 };
    for (const { isOutage, attempts } of [outage, poison]) {
      const project = newProject();
      await createPattern(project, { includeTerms: ["lawyer"] });
      fakeIngest.failure = new AppError("store_unavailable", "The database is unavailable; retry.", { isOutage });
      await settle(record(project, { output: "My lawyer." }));
      const reason = "The ingest service could not answer; retry.";
      await vi.waitFor(async () => expect(await readTries(project)).toEqual([{ attempts, reason }]));
      fakeIngest.failure = null;
      await untilChecked(project, 1);
    }
  });

  test("has semantic conditions decided by one judge call each; an undecided one removes only its pattern", async () => {
    const project = newProject();
    judgeBy((prompt) => (prompt === "broken" ? "fails" : prompt === "asks for a PIN"));
    await createPattern(project, { name: "Broken", semanticPrompt: "broken" });
    await createPattern(project, { name: "Phishing", semanticPrompt: "asks for a PIN", severity: "critical" });
    await createPattern(project, { name: "Polite", semanticPrompt: "is rude" });
    asked.length = 0;

    await settle(record(project, { output: "Tell me your PIN." }));
    await untilChecked(project, 1);

    expect(asked.toSorted((one, other) => (one.prompt < other.prompt ? -1 : 1))).toEqual([
      { prompt: "asks for a PIN", text: "Tell me your PIN." },
      { prompt: "broken", text: "Tell me your PIN." },
      { prompt: "is rude", text: "Tell me your PIN." },
    ]);
    expect(await listSignals(project)).toMatchObject([
      { patternKey: "custom:phishing", severity: "critical", rootCause: "because", occurrenceCount: 1 },
    ]);
  });
});

test("semantic conditions are live judge calls of the project's day: further ones are skipped with the reason", {
  tags: ["spec:limit.quota.live-judge"],
}, async () => {
  const project = newProject();
  judgeBy((prompt) => (prompt === "keyless" ? "fails" : true));
  // Without a key no call is made, and none counts.
  const keyless = await createPattern(project, { name: "Keyless", semanticPrompt: "keyless" });
  await settle(record(project, { output: "Hello." }));
  await untilChecked(project, 1);
  await project.send("DELETE", `/monitor/patterns/${keyless._id}`);
  const { key } = await createPattern(project, { name: "Rude", semanticPrompt: "is rude" });
  asked.length = 0;

  const over = 3;
  await settle(...Array.from({ length: liveCallsPerDay + over }, () => record(project, { output: "Go away." })));
  await untilChecked(project, 1 + liveCallsPerDay + over);

  expect(asked).toHaveLength(liveCallsPerDay);
  expect(await listSignals(project)).toMatchObject([{ patternKey: key, occurrenceCount: liveCallsPerDay }]);
  const checks =
    "select outcome, reason, count(*)::int as n from monitor.checks where project_id = $1 group by 1, 2 order by 1";
  expect(await query(checks, [project.projectId])).toEqual([
    { outcome: "done", reason: null, n: 1 + liveCallsPerDay },
    { outcome: "skipped", reason: "Online judge budget exhausted", n: over },
  ]);
  const used = "select used::int from monitor.live_calls where project_id = $1";
  expect(await query(used, [project.projectId])).toEqual([{ used: liveCallsPerDay }]);

  // What asks no judge is looked for all the same.
  await createPattern(project, { name: "Plain", includeTerms: ["away"] });
  await settle(record(project, { output: "Stay away." }));
  await untilChecked(project, 2 + liveCallsPerDay + over);
  expect((await listSignals(project)).map(({ patternKey }) => patternKey).toSorted()).toEqual(["custom:plain", key]);
  expect(asked).toHaveLength(liveCallsPerDay);
});

test("a trace with monitor:true is checked when it is stored, for exactly the patterns it names, and not again when it settles", {
  tags: ["spec:ingest.monitor", "spec:ingest.pattern_ids"],
}, async () => {
  const project = newProject();
  const named = await createPattern(project, { name: "Named", includeTerms: ["lawyer"], sampleRate: 0 });
  await createPattern(project, { name: "Unnamed", includeTerms: ["lawyer"] });
  const trace = record(project, { output: "My lawyer." }, { monitor: true, patternIds: [named._id] });
  const unasked = record(project, { output: "My lawyer." }, { monitor: null, patternIds: [named._id] });

  await store(trace, unasked);
  await untilChecked(project, 1);
  expect(await listSignals(project)).toMatchObject([{ patternKey: named.key, occurrenceCount: 1 }]);

  await settle(trace, unasked);
  await untilChecked(project, 2);
  expect((await listSignals(project)).map(({ patternKey, occurrenceCount }) => [patternKey, occurrenceCount])).toEqual(
    expect.arrayContaining([
      [named.key, 1],
      ["custom:unnamed", 1],
    ]),
  );
});
