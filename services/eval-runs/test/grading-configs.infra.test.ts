import { randomUUID } from "node:crypto";
import {
  evaluationSettings,
  evaluationSettingsList,
  judgeScorerList,
  judgeScorerReply,
  settingsVersions,
} from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;

const system = useTestSystem();
const running = useService(system);

beforeEach(() => {
  client = createProjectClient(running.address);
});

const scorers = "/api/v1/agent-monitoring/judge-scorers";
const versionsOf = (id: string) => `/api/v1/evaluate/evaluationSettings/${id}/versions`;

const createSettings = async (body: object) => {
  const { status, body: settings } = await client.send("POST", "/evaluation-settings", { name: "Tone", ...body });
  expect(status).toBe(201);
  return evaluationSettings.parse(settings);
};
const createScorer = async (body: object) => {
  const answer = await client.sendTo("POST", scorers, { name: "Tone", ...body });
  expect(answer.status).toBe(201);
  return judgeScorerReply.parse(answer.body).judgeScorer;
};
const readScorer = async (id: string) => (await client.sendTo("GET", `${scorers}/${id}`)).body.judgeScorer;
const nowhere = () => [randomUUID(), "not-an-id", "%00"];

describe("evaluation settings", () => {
  test("have their defaults when only a name is sent", async () => {
    const { status, body } = await client.send("POST", "/evaluation-settings", {
      name: "Tone",
      unknown: 1,
      status: "x",
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      _id: expect.any(String),
      name: "Tone",
      numberOfRequests: 1,
      toolContext: "simple",
      requiresExpected: false,
      isDefault: false,
      status: "published",
      createdAt: expect.any(String),
    });
  });

  test("come back with everything that was sent, free JSON letter by letter", async () => {
    const text = `{"name":"Tone","description":"d","numberOfRequests":3,"vectorSimilarity":{"enabled":true,"model":"local-hash"},
      "bleuScore":{"enabled":true},"rougeScore":{"enabled":false},"thresholds":{"z":1e400,"2":"\\u0000"},
      "sovereigntyIndex":{"enabled":true},"codeScorers":[{"id":"a","code":"return 1","x":1e400},{"code":" "}],
      "acceptanceCriteria":"a","rejectionCriteria":"r","evaluationCriteria":"e","judgePrompt":"Rate {output}",
      "judgeModel":"gpt-4o-mini","toolContext":"detailed","requiresExpected":true,"isDefault":true}`;
    const { body } = await client.send("POST", "/evaluation-settings", text);

    const read = await client.send("GET", `/evaluation-settings/${body._id}`);

    expect(read.text).toContain('"thresholds":{"z":1e400,"2":"\\u0000"}');
    expect(read.text).toContain('"codeScorers":[{"id":"a","code":"return 1","x":1e400}]');
    expect(read.body).toMatchObject({
      description: "d",
      numberOfRequests: 3,
      vectorSimilarity: { enabled: true, model: "local-hash" },
      bleuScore: { enabled: true },
      judgePrompt: "Rate {output}",
      judgeModel: "gpt-4o-mini",
      toolContext: "detailed",
      requiresExpected: true,
      isDefault: true,
    });
    expect(read.body).not.toHaveProperty("rougeScore");
  });

  test.each([
    [{}, "name is required"],
    [{ name: " " }, "name is required"],
    [{ name: "a\0" }, "name must be plain text of at most 512 characters"],
    [{ name: "x".repeat(513) }, "name must be plain text of at most 512 characters"],
    [{ name: "n", description: 1 }, "description must be a string"],
    [{ name: "n", judgePrompt: [] }, "judgePrompt must be a string"],
    [{ name: "n", toolContext: "all" }, 'toolContext must be "none", "simple" or "detailed"'],
    [{ name: "n", requiresExpected: "yes" }, "requiresExpected must be a boolean"],
    [{ name: "n", isDefault: 1 }, "isDefault must be a boolean"],
    [{ name: "n", numberOfRequests: 21 }, "numberOfRequests must be an integer between 1 and 20"],
    [{ name: "n", thresholds: [] }, "thresholds must be an object"],
    [{ name: "n", codeScorers: [{ code: "x", language: "python" }] }, 'language must be "javascript"'],
    [{ name: "n", codeScorers: Array(51).fill({ code: "x" }) }, "codeScorers must have at most 50 entries"],
  ])("refuse %j: %s", async (body, error) => {
    expect(await client.send("POST", "/evaluation-settings", body)).toMatchObject({ status: 400, body: { error } });
  });

  test("change only in the members that are sent; null removes one", async () => {
    const { _id, ...before } = await createSettings({
      description: "d",
      acceptanceCriteria: "a",
      judgePrompt: "p",
      bleuScore: { enabled: true },
    });

    const change = { acceptanceCriteria: "b", judgePrompt: null, bleuScore: { enabled: false }, toolContext: "none" };
    const { status, body } = await client.send("PUT", `/evaluation-settings/${_id}`, change);

    expect(status).toBe(200);
    const { judgePrompt: _gone, bleuScore: _off, ...kept } = before;
    expect(body).toEqual({ _id, ...kept, acceptanceCriteria: "b", toolContext: "none" });
    expect((await client.send("GET", `/evaluation-settings/${_id}`)).body).toEqual(body);
    expect(await client.send("PUT", `/evaluation-settings/${_id}`, { name: null })).toMatchObject({
      status: 400,
      body: { error: "name is required" },
    });
  });

  test("are the default of a project one at a time, also when many want to be at once", async () => {
    const first = await createSettings({ isDefault: true });
    const others = await Promise.all(Array.from({ length: 8 }, () => createSettings({})));

    const answers = await Promise.all(
      others.map(({ _id }) => client.send("PUT", `/evaluation-settings/${_id}`, { isDefault: true })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const { evaluationSettings: listed } = (await client.send("GET", "/evaluation-settings")).body;
    const defaults = listed.filter((settings: { isDefault: boolean }) => settings.isDefault);
    expect(defaults).toHaveLength(1);
    expect(defaults[0]._id).not.toBe(first._id);
  });

  test("keep a version of each document they had", async () => {
    const { _id } = await createSettings({ acceptanceCriteria: "first" });
    await client.send("PUT", `/evaluation-settings/${_id}`, { acceptanceCriteria: "second", toolContext: "none" });
    await client.send("PUT", `/evaluation-settings/${_id}`, { acceptanceCriteria: "second", isDefault: true });

    const { body } = await client.sendTo("GET", versionsOf(_id));

    expect(settingsVersions.parse(body)).toMatchObject([
      {
        versionNumber: 2,
        changeSummary: "Changed acceptanceCriteria, toolContext",
        snapshot: { name: "Tone", acceptanceCriteria: "second" },
        creator: null,
      },
      { versionNumber: 1, changeSummary: "Created", snapshot: { acceptanceCriteria: "first", toolContext: "simple" } },
    ]);
    expect((await readScorer(_id)).versionCount).toBe(2);

    const [inForce, earlier] = body.map((version: { _id: string }) => version._id);
    const deleteVersion = (version: string) => client.sendTo("DELETE", `${versionsOf(_id)}/${version}`);
    expect((await deleteVersion(inForce)).body).toEqual({ deleted: false });
    expect((await deleteVersion(`${randomUUID()}:1`)).body).toEqual({ deleted: false });
    expect((await deleteVersion(earlier)).body).toEqual({ deleted: true });
    expect((await deleteVersion(earlier)).body).toEqual({ deleted: false });
    expect(await readScorer(_id)).toMatchObject({ version: 2, versionCount: 1 });
  });

  test("that are not the project's own are not found, by whatever route", async () => {
    const { _id } = await createSettings({});
    client = createProjectClient(running.address);

    for (const id of [_id, ...nowhere()]) {
      const answers = [
        await client.send("GET", `/evaluation-settings/${id}`),
        await client.send("PUT", `/evaluation-settings/${id}`, { name: "mine" }),
        await client.send("DELETE", `/evaluation-settings/${id}`),
        await client.sendTo("GET", versionsOf(id)),
        await client.sendTo("DELETE", `${versionsOf(id)}/${_id}:1`),
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 404, body: { error: "Evaluation settings not found" } });
      }
      for (const answer of [
        await client.sendTo("GET", `${scorers}/${id}`),
        await client.sendTo("PUT", `${scorers}/${id}`, { name: "mine" }),
        await client.sendTo("DELETE", `${scorers}/${id}`),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { error: "Judge scorer not found" } });
      }
    }
  });

  test("are gone with their versions when they are deleted", async () => {
    const { _id } = await createSettings({});

    expect(await client.send("DELETE", `/evaluation-settings/${_id}`)).toMatchObject({
      status: 200,
      body: { deleted: true },
    });
    expect((await client.send("DELETE", `/evaluation-settings/${_id}`)).status).toBe(404);
    expect((await client.sendTo("GET", versionsOf(_id))).status).toBe(404);
  });
});

describe("judge scorers", () => {
  test("are the same configs in sections", async () => {
    const scorer = await createScorer({
      description: "d",
      judge: { acceptanceCriteria: "a", toolContext: "detailed", name: "not here" },
      offline: { numberOfRequests: 2, jaccardSimilarity: { enabled: true }, isDefault: true, acceptanceCriteria: "no" },
    });

    expect(scorer).toEqual({
      _id: expect.any(String),
      name: "Tone",
      description: "d",
      seeded: false,
      judge: { acceptanceCriteria: "a", toolContext: "detailed", requiresExpected: false },
      offline: { numberOfRequests: 2, jaccardSimilarity: { enabled: true }, isDefault: true, status: "published" },
      online: null,
      createdAt: expect.any(String),
      version: 1,
      versionCount: 1,
    });
    expect((await client.send("GET", `/evaluation-settings/${scorer._id}`)).body).toEqual({
      _id: scorer._id,
      name: "Tone",
      description: "d",
      createdAt: scorer.createdAt,
      ...scorer.judge,
      ...scorer.offline,
    });
    const listed = judgeScorerList.parse((await client.sendTo("GET", scorers)).body).judgeScorers;
    expect(listed[0]).toEqual(scorer);
  });

  test("have the defaults of live judging, an id of their profile, and lose both when they are detached", async () => {
    const { _id, online } = await createScorer({ online: {} });

    expect(online).toEqual({
      profileId: expect.any(String),
      enabled: true,
      sampleRate: 0.1,
      scopeMode: "all",
      agentIds: [],
      alertThreshold: 5,
      severity: "medium",
      scope: "trace",
      idleSeconds: 120,
    });
    const change = { judge: { acceptanceCriteria: "b" }, online: { sampleRate: 1, alertThreshold: null } };
    const { body } = await client.sendTo("PUT", `${scorers}/${_id}`, change);
    expect(body.judgeScorer).toMatchObject({
      judge: { acceptanceCriteria: "b", toolContext: "simple" },
      online: { ...online, sampleRate: 1, alertThreshold: null },
      versionCount: 2,
    });
    const detached = await client.sendTo("PUT", `${scorers}/${_id}`, { online: null });
    expect(detached.body.judgeScorer).toMatchObject({ online: null, judge: { acceptanceCriteria: "b" } });
  });

  test.each([
    [{ judge: [] }, "judge must be an object"],
    [{ offline: "x" }, "offline must be an object"],
    [{ offline: { isDefault: "x" } }, "isDefault must be a boolean"],
    [{ online: true }, "online must be an object"],
    [{ online: { enabled: 1 } }, "enabled must be a boolean"],
    [{ online: { sampleRate: 1.1 } }, "sampleRate must be a number between 0 and 1"],
    [{ online: { alertThreshold: 11 } }, "alertThreshold must be a number between 0 and 10"],
    [{ online: { severity: "huge" } }, "severity must be one of low, medium, high, critical"],
    [{ online: { scope: "span" } }, 'scope must be "trace" or "session"'],
    [{ online: { scopeMode: "some" } }, 'scopeMode must be "all" or "selected"'],
    [{ online: { agentIds: [1] } }, "agentIds must be an array of strings"],
    [{ online: { idleSeconds: 0 } }, "idleSeconds must be an integer between 1 and 86400"],
  ])("refuse %j: %s", async (body, error) => {
    const answer = await client.sendTo("POST", scorers, { name: "n", ...body });
    expect(answer).toMatchObject({ status: 400, body: { error } });
  });

  test("that require an expected result do not judge live traffic, whichever comes first", async () => {
    const error = "A judge that requires an expected result cannot judge live traffic.";
    const both = { name: "n", judge: { requiresExpected: true }, online: {} };
    expect(await client.sendTo("POST", scorers, both)).toMatchObject({ status: 409, body: { error } });

    const live = await createScorer({ online: { enabled: false } });
    const requiring = await createScorer({ judge: { requiresExpected: true } });
    for (const [id, change] of [
      [live._id, { judge: { requiresExpected: true } }],
      [requiring._id, { online: {} }],
    ] as const) {
      const before = await readScorer(id);
      expect(await client.sendTo("PUT", `${scorers}/${id}`, change)).toMatchObject({ status: 409, body: { error } });
      expect(await readScorer(id)).toEqual(before);
    }
  });

  test("take their live profile with them; as evaluation settings they are detached first", async () => {
    const { _id } = await createScorer({ online: {} });

    expect(await client.send("DELETE", `/evaluation-settings/${_id}`)).toMatchObject({
      status: 409,
      body: { error: "This grading config is attached to a live scorer - detach it first." },
    });
    expect(await client.sendTo("DELETE", `${scorers}/${_id}`)).toMatchObject({ status: 200, body: { deleted: true } });
  });
});

describe("what every project is given", () => {
  const listSeeded = async () =>
    judgeScorerList.parse((await client.sendTo("GET", scorers)).body).judgeScorers.filter(({ seeded }) => seeded);

  test("is there at the first look, once, however many look", async () => {
    const other = await system.startService();
    const replicas = [client, createProjectClient(other.address, client.projectId)];

    const looks = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (replicas[index % 2] as ProjectClient).send("GET", "/evaluation-settings"),
      ),
    );

    for (const look of looks) expect(look).toMatchObject({ status: 200, body: looks[0]?.body });

    const names = (await listSeeded()).map(({ name }) => name);
    expect(names).toEqual([
      "Example: Support Answer",
      "RAG: Faithfulness",
      "RAG: Answer Relevancy",
      "RAG: Context Relevancy",
      "Safety: Harmful Content",
      "Safety: Personal Data",
      "Safety: Instruction Hijacking",
      "Safety: Respect and Bias",
      "Session Baseline Judge",
    ]);
    const settings = evaluationSettingsList.parse((await client.send("GET", "/evaluation-settings")).body);
    expect(settings.evaluationSettings.map(({ name }) => name)).toEqual(names);
  });

  test("stays deleted where it was deleted, also for a replica that starts later", async () => {
    for (const { _id } of (await listSeeded()).slice(0, 3)) await client.sendTo("DELETE", `${scorers}/${_id}`);

    client = createProjectClient((await system.startService()).address, client.projectId);
    expect(await listSeeded()).toHaveLength(6);
  });

  test("has a session judge that is paused, and of which only that and the rubric may change", async () => {
    const builtIn = (await listSeeded()).find(({ name }) => name === "Session Baseline Judge");
    expect(builtIn?.online).toMatchObject({
      builtinKey: "session-baseline",
      enabled: false,
      scope: "session",
      alertThreshold: 5,
      severity: "low",
    });
    const path = `${scorers}/${builtIn?._id}`;

    const { judge, name, online } = builtIn ?? {};
    const allowed = { name, online: { ...online, enabled: true }, judge: { ...judge, acceptanceCriteria: "Mine." } };
    expect(await client.sendTo("PUT", path, allowed)).toMatchObject({
      status: 200,
      body: { judgeScorer: { judge: { acceptanceCriteria: "Mine." }, online: { ...online, enabled: true } } },
    });
    const changes = [
      { name: "Mine" },
      { online: null },
      { online: { sampleRate: 1 } },
      { judge: { requiresExpected: true } },
      { offline: { numberOfRequests: 2 } },
      { offline: { isDefault: true } },
    ];
    for (const change of changes) {
      expect(await client.sendTo("PUT", path, change)).toMatchObject({
        status: 409,
        body: { error: "Of the built-in session judge only online.enabled and the rubric may change." },
      });
    }
    const refused = { status: 409, body: { error: "The built-in session judge cannot be deleted; it can be paused." } };
    expect(await client.sendTo("DELETE", path)).toMatchObject(refused);
    expect(await client.send("DELETE", `/evaluation-settings/${builtIn?._id}`)).toMatchObject(refused);
  });
});
