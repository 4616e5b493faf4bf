import { randomUUID } from "node:crypto";
import { profileReply, type SettledTrace, signalFeedbackReply, signalReply } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import type { ProjectClient } from "./start-monitor.ts";
import {
  createPattern,
  fakeIngest,
  listSignals,
  newProject,
  query,
  record,
  settle,
  untilChecked,
  useWatchingMonitor,
} from "./watching-bench.ts";

useWatchingMonitor();

describe("a signal", () => {
  async function raise(project: ProjectClient, settled: Partial<SettledTrace> = {}): Promise<string> {
    await createPattern(project, { includeTerms: ["lawyer"] });
    await settle(record(project, { output: "My lawyer." }, settled));
    await untilChecked(project, 1);
    const [signal] = await listSignals(project);
    return signal?._id as string;
  }

  test("is triaged at either address, and reopened when it comes again after it was archived", async () => {
    const project = newProject();
    const id = await raise(project);
    const changed = await project.send("PATCH", `/monitor/signals/${id}`, {
      status: "in_review",
      severity: "high",
      reviewStatus: "looked at",
      recommendedActions: ["call back"],
    });
    expect(changed.status).toBe(200);
    expect(signalReply.parse(changed.body).signal).toMatchObject({
      status: "in_review",
      severity: "high",
      reviewStatus: "looked at",
      recommendedActions: ["call back"],
    });
    const archived = await project.send("PATCH", `/agent-monitoring/signals/${id}`, { status: "archived" });
    expect(archived.body.signal).toMatchObject({ status: "archived", severity: "high", reviewStatus: "looked at" });

    await settle(record(project, { output: "My lawyer again." }));
    await untilChecked(project, 2);
    const read = await project.send("GET", `/monitor/signals/${id}`);
    expect(signalReply.parse(read.body).signal).toMatchObject({
      status: "reopened",
      severity: "high",
      occurrenceCount: 2,
    });

    for (const [body, error] of [
      [{ status: "gone" }, "status must be one of: open, reopened, in_review, resolved, archived, dismissed"],
      [{ severity: "x" }, "severity must be one of: low, medium, high, critical"],
      [{ reviewStatus: "x".repeat(201), severity: 1 }, "severity must be one of: low, medium, high, critical"],
      [{ reviewStatus: "x".repeat(201) }, "reviewStatus must be a string of at most 200 characters"],
    ] as const) {
      expect(await project.send("PATCH", `/monitor/signals/${id}`, body)).toEqual({ status: 400, body: { error } });
    }
    const missing = { status: 404, body: { error: "Signal not found" } };
    for (const path of [`/monitor/signals/${randomUUID()}`, "/monitor/signals/none"]) {
      expect(await project.send("GET", path)).toEqual(missing);
      expect(await project.send("PATCH", path, { status: "open" })).toEqual(missing);
    }
    expect(await newProject().send("GET", `/monitor/signals/${id}`)).toEqual(missing);
  });

  test("is listed by severity, status, agent and polarity, at most 100", async () => {
    const project = newProject();
    const agentId = fakeIngest.addAgent(project.projectId, "shop");
    await raise(project, { agentId });

    for (const filter of ["severity=medium", "status=open", `agentId=${agentId}`, "polarity=failure", "limit=500"]) {
      expect(await listSignals(project, `?${filter}`)).toHaveLength(1);
    }
    for (const filter of [
      "severity=low",
      "status=resolved",
      `agentId=${randomUUID()}`,
      "agentId=x",
      "polarity=proper",
    ]) {
      expect(await listSignals(project, `?${filter}`)).toHaveLength(0);
    }
    for (const [filter, error] of [
      ["severity=x", "severity must be one of: low, medium, high, critical"],
      ["polarity=x", "polarity must be one of: failure, proper, all"],
      ["limit=0", "limit must be a positive integer"],
    ] as const) {
      expect(await project.send("GET", `/monitor/signals?${filter}`)).toEqual({ status: 400, body: { error } });
    }
  });

  test("stores a person's feedback on it, and is exported with it", async () => {
    const project = newProject();
    const id = await raise(project);
    const path = `/agent-monitoring/signals/${id}/feedback`;
    const said = { metric: "tone", rationale: "It was polite.", originalScore: 3, correctedScore: 8 };
    const answer = await project.send("POST", path, said);
    expect(answer.status).toBe(201);
    expect(signalFeedbackReply.parse(answer.body).feedback).toMatchObject({
      ...said,
      signalId: id,
      occurrenceId: null,
    });
    for (const body of [{}, { metric: "tone" }, { rationale: "x" }, { metric: "", rationale: "x" }]) {
      expect(await project.send("POST", path, body)).toEqual({
        status: 400,
        body: { error: "metric and rationale are required" },
      });
    }
    for (const [body, error] of [
      [{ ...said, occurrenceId: "first" }, "occurrenceId must be the id of an occurrence"],
      [{ ...said, metric: "a\0b", occurrenceId: "first", correctedScore: "x" }, "correctedScore must be a number"],
      [{ ...said, metric: "a\0b", occurrenceId: "first" }, "occurrenceId must be the id of an occurrence"],
      [{ ...said, occurrenceId: 7 }, "occurrenceId must be a string"],
      [{ ...said, originalScore: "x" }, "originalScore must be a number"],
      [{ ...said, queuedForAutotune: 1 }, "queuedForAutotune must be a boolean"],
      [{ ...said, metric: "x".repeat(10_001), rationale: " " }, "metric and rationale are required"],
      [{ ...said, rationale: "a\0b" }, "metric and rationale must be text of at most 10000 characters"],
    ] as const) {
      expect(await project.send("POST", path, body)).toEqual({ status: 400, body: { error } });
    }
    expect(await project.send("PATCH", `/monitor/signals/${id}`, { reviewStatus: "a\0b" })).toEqual({
      status: 400,
      body: { error: "reviewStatus must be text without NUL" },
    });
    const missing = `/agent-monitoring/signals/${randomUUID()}/feedback`;
    expect(await project.send("POST", missing, said)).toEqual({ status: 404, body: { error: "Signal not found" } });

    await project.send("PUT", "/monitor/profiles/shop", { enabled: true });
    const { projectId } = project;
    for (const [entity, expected] of [
      [
        "signals",
        { id, projectId, patternKey: "custom:refunds", occurrenceCount: 1, occurrences: [expect.anything()] },
      ],
      ["signal-feedback", { projectId, signalId: id, ...said }],
      ["events", { projectId, patternKey: "custom:refunds", kind: "pattern" }],
      ["patterns", { projectId, key: "custom:refunds", name: "Refunds", conditions: [expect.anything()] }],
      ["monitor-profiles", { projectId, enabled: true }],
    ] as const) {
      expect(await project.lines(`/export/${entity}`)).toMatchObject([expected]);
      expect(await newProject().lines(`/export/${entity}`)).toEqual([]);
    }
  });

  test("keeps its newest 100 occurrences and counts all", async () => {
    const project = newProject();
    const id = await raise(project);
    // As many as are kept besides, all older.
    await query("update monitor.signals set occurrence_count = 101 where id = $1", [id]);
    await query(
      `insert into monitor.signal_occurrences (project_id, signal_id, id, seen_at)
       select $1, $2, gen_random_uuid(), '2020-01-01' from generate_series(1, 100)`,
      [project.projectId, id],
    );
    const [corrected] = await query(
      `insert into monitor.signal_occurrences (project_id, signal_id, id, trace_id, seen_at)
       values ($1, $2, gen_random_uuid(), gen_random_uuid(), '2019-01-01')
       returning id::text`,
      [project.projectId, id],
    );
    const said = { metric: "tone", rationale: "It was polite.", occurrenceId: corrected?.id, correctedScore: 8 };
    expect((await project.send("POST", `/agent-monitoring/signals/${id}/feedback`, said)).status).toBe(201);
    const newest = record(project, { output: "My lawyer." });
    await settle(newest);
    await untilChecked(project, 2);

    // A corrected score belongs to a trace through its occurrence.
    expect(
      await query("select id::text from monitor.signal_occurrences where signal_id = $1 and seen_at < '2020-01-01'", [
        id,
      ]),
    ).toEqual([corrected]);
    const { signal } = signalReply.parse((await project.send("GET", `/monitor/signals/${id}`)).body);
    expect(signal.occurrenceCount).toBe(102);
    expect(signal.occurrences).toHaveLength(100);
    expect(signal.occurrences.slice(0, 2).map(({ traceId }) => traceId)).toContain(newest.traceId);
    expect((await listSignals(project))[0]?.occurrences).toHaveLength(10);
  });
});

describe("a monitoring profile", () => {
  test("is set by id or name, only the sent members change, and a read registers no agent", {
    tags: ["spec:monitor.profile"],
  }, async () => {
    const project = newProject();
    expect(await project.send("GET", "/monitor/profiles/shop")).toEqual({ status: 200, body: { profile: null } });
    expect(fakeIngest.agentNames(project.projectId)).toEqual([]);

    const set = await project.send("PUT", "/monitor/profiles/shop", { enabled: false, thresholdOverrides: { a: 1 } });
    expect(set.status).toBe(200);
    expect(fakeIngest.agentNames(project.projectId)).toEqual(["shop"]);
    const { profile } = profileReply.parse(set.body);
    expect(profile).toMatchObject({
      workspaceId: "local",
      enabled: false,
      failureDetectionEnabled: true,
      infoDetectionEnabled: true,
      topicsEnabled: false,
      coverageMode: "all",
      sampleRate: 1,
      retentionDays: 30,
      thresholdOverrides: { latencyMs: 20000, a: 1 },
      approvalPolicy: {},
      channels: [],
      billingMode: "credits",
      pausedForCredits: false,
    });
    const again = await project.send("PUT", `/monitor/profiles/${profile?.agentId}`, {
      sampleRate: 0.5,
      thresholdOverrides: { b: 2 },
      channels: ["webhook:https://acme.io/hook"],
    });
    expect(again.body.profile).toMatchObject({
      _id: profile?._id,
      enabled: false,
      sampleRate: 0.5,
      thresholdOverrides: { latencyMs: 20000, a: 1, b: 2 },
      channels: ["webhook:https://acme.io/hook"],
    });
    expect((await project.send("GET", "/monitor/profiles/shop")).body).toEqual(again.body);
    expect((await newProject().send("GET", `/monitor/profiles/${profile?.agentId}`)).body.profile).toBeNull();
  });

  test.each([
    [{ sampleRate: 2 }, "sampleRate must be a number between 0 and 1"],
    [{ sampleRate: "1" }, "sampleRate must be a number between 0 and 1"],
    [{ enabled: "no" }, "enabled must be a boolean"],
    [{ coverageMode: "some" }, "coverageMode must be one of: all, sampled"],
    [{ retentionDays: "x" }, "retentionDays must be a number"],
    [{ channels: "x" }, "channels must be an array of strings"],
    [{ thresholdOverrides: [] }, "thresholdOverrides must be an object"],
    [{ approvalPolicy: 1 }, "approvalPolicy must be an object"],
    [{ billingMode: 1 }, "billingMode must be a string"],
  ])("of %j is refused, and no agent is registered", async (body, error) => {
    const project = newProject();
    expect(await project.send("PUT", "/monitor/profiles/shop", body)).toEqual({ status: 400, body: { error } });
    expect(fakeIngest.agentNames(project.projectId)).toEqual([]);
  });

  test("is based on the project's defaults", async () => {
    const project = newProject();
    const path = "/agent-monitoring/settings/monitoring-defaults";
    const set = await project.send("PUT", path, { coverageMode: "sampled", sampleRate: 0.25, retentionDays: 7 });
    expect(set).toEqual({
      status: 200,
      body: {
        monitoringDefaults: {
          coverageMode: "sampled",
          sampleRate: 0.25,
          retentionDays: 7,
          latencyThresholdMs: 20000,
          topicsEnabled: false,
          topicsSampleRate: 1,
          coherenceSweepEnabled: true,
          enabledBuiltinPatterns: [],
        },
      },
    });
    await project.send("PUT", path, { topicsEnabled: true, latencyThresholdMs: 5 });
    const { profile } = (await project.send("PUT", "/monitor/profiles/shop", { retentionDays: 90 })).body;
    expect(profile).toMatchObject({
      coverageMode: "sampled",
      sampleRate: 0.25,
      retentionDays: 7,
      topicsEnabled: true,
      thresholdOverrides: { latencyMs: 5 },
    });
    for (const [body, error] of [
      [{ coverageMode: "x" }, "coverageMode must be one of: all, sampled"],
      [{ topicsSampleRate: -1 }, "topicsSampleRate must be a number between 0 and 1"],
      [{ retentionDays: 1.5 }, "retentionDays must be a whole number of days"],
      [{ topicsEnabled: 1 }, "topicsEnabled must be a boolean"],
      [{ coherenceSweepEnabled: null, enabledBuiltinPatterns: ["x"] }, "coherenceSweepEnabled must be a boolean"],
      [{ enabledBuiltinPatterns: "x" }, "enabledBuiltinPatterns must be an array of keys of built-in patterns"],
      [{ latencyThresholdMs: 0 }, "latencyThresholdMs must be a number of milliseconds above 0"],
      [
        { enabledBuiltinPatterns: ["x"] },
        "enabledBuiltinPatterns must be of: secrets-in-response, pii-in-response, prompt-injection-echo, profanity-in-response, refusal-response, malformed-json-response",
      ],
    ] as const) {
      expect(await project.send("PUT", path, body)).toEqual({ status: 400, body: { error } });
    }
  });
});
