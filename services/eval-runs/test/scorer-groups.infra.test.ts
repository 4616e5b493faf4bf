import { randomUUID } from "node:crypto";
import { groupRatings, scorerGroupList, scorerGroupReply } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { answerAll } from "./fake-judge.ts";
import { type FakeMonitor, startFakeMonitor } from "./fake-monitor.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let monitor: FakeMonitor;
let client: ProjectClient;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(async () => {
  monitor = await startFakeMonitor(system.nats.url);
});

const running = useService(system);

afterAll(async () => {
  await monitor?.stop();
});

beforeEach(() => {
  client = createProjectClient(running.address);
});

const groups = "/api/v1/agent-monitoring/scorer-groups";
const scorers = "/api/v1/agent-monitoring/judge-scorers";

const createScorer = async (body: object = {}): Promise<string> => {
  const answer = await client.sendTo("POST", scorers, { name: "Tone", ...body });
  expect(answer.status).toBe(201);
  return answer.body.judgeScorer._id;
};
const createGroup = async (body: object) => {
  const answer = await client.sendTo("POST", groups, { name: "All", members: [], ...body });
  expect(answer.status).toBe(201);
  return scorerGroupReply.parse(answer.body).scorerGroup;
};
const change = (id: string, body: object) => client.sendTo("PUT", `${groups}/${id}`, body);

describe("a scorer group", () => {
  test("keeps its members as they are understood", async () => {
    const [one, other] = [await createScorer(), await createScorer()];

    const group = await createGroup({
      description: "d",
      members: [
        { refId: one },
        { kind: "judge", refId: other, weight: 2.5, gate: true, name: "ignored" },
        { kind: "oracle", refId: one, weight: -1, gate: "yes" },
        { kind: "judge", weight: 3 },
        { refId: one, weight: "much" },
      ],
    });

    expect(group).toEqual({
      _id: expect.any(String),
      name: "All",
      description: "d",
      members: [
        { kind: "judge", refId: one, weight: 1, gate: false },
        { kind: "judge", refId: other, weight: 2.5, gate: true },
        { kind: "judge", refId: one, weight: 0, gate: false },
        { kind: "judge", refId: one, weight: 1, gate: false },
      ],
      online: null,
      createdAt: group.createdAt,
      updatedAt: group.createdAt,
    });
    expect((await client.sendTo("GET", `${groups}/${group._id}`)).body).toEqual({ scorerGroup: group });
    const later = await createGroup({});
    expect(scorerGroupList.parse((await client.sendTo("GET", groups)).body).scorerGroups).toEqual([later, group]);
  });

  test.each([
    [{ members: [] }, "name is required"],
    [{ name: "n" }, "members must be an array"],
    [{ name: "n", members: ["a"] }, "Every members entry must be an object"],
    [{ name: "n", members: Array(51).fill({}) }, "members must have at most 50 entries"],
    [{ name: "n", members: [], description: 5 }, "description must be a string"],
    [{ name: "n\0", members: [] }, "name must be plain text of at most 512 characters"],
    [{ name: "n", members: [], online: 1 }, "online must be an object"],
    [{ name: "n", members: [], online: { sampleRate: -1 } }, "sampleRate must be a number between 0 and 1"],
    [
      {
        name: "n",
        members: [
          { refId: "x" },
          { refId: "x", weight: 2 },
          { kind: "pattern", refId: "y" },
          { kind: "custom", refId: "z" },
        ],
      },
      'Unknown judge scorer id "x"; Unknown pattern id "y"; Unknown scorer id "z"',
    ],
  ])("is refused %j: %s", async (body, error) => {
    expect(await client.sendTo("POST", groups, body)).toMatchObject({ status: 400, body: { error } });
  });

  test("is refused with the reason when its patterns and custom scorers are too large together", async () => {
    const reason = "The patterns and custom scorers of a scorer group have at most 7340032 bytes together";
    monitor.refusal = new AppError("bad_request", reason);
    const group = { name: "Large", members: [{ kind: "pattern", refId: randomUUID() }] };

    const answer = await client.sendTo("POST", groups, group);

    monitor.refusal = null;
    expect(answer).toMatchObject({ status: 400, body: { error: reason } });
  });

  test("is refused when its patterns and custom scorers are more than the message bus carries", async () => {
    const pattern = { kind: "pattern" as const, refId: randomUUID() };
    monitor.known = [{ ...pattern, name: "n", definition: { text: "x".repeat(9_000_000) } }];

    const answer = await client.sendTo("POST", groups, { name: "Large", members: [pattern] });

    monitor.known = [];
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: "The patterns and custom scorers of a scorer group are too large: the message bus carries 8388608 bytes",
      },
    });
  });

  test("has patterns and custom scorers that monitor knows; those it has are not looked up again", async () => {
    const pattern = { kind: "pattern" as const, refId: "secrets-in-response" };
    const custom = { kind: "custom" as const, refId: randomUUID() };
    monitor.known = [pattern, custom].map((member) => ({ ...member, name: "n", definition: {} }));
    monitor.asked.length = 0;

    const group = await createGroup({ members: [pattern, custom, pattern] });

    expect(group.members).toMatchObject([pattern, custom, pattern]);
    expect(monitor.asked).toEqual([[pattern, custom]]);
    monitor.known = [];
    const swapped = { kind: "custom", refId: pattern.refId };
    expect((await change(group._id, { members: [custom, swapped] })).body).toEqual({
      error: `Unknown scorer id "${pattern.refId}"`,
    });
    expect((await change(group._id, { members: [custom, pattern], online: {} })).status).toBe(200);
    expect(monitor.asked.slice(1)).toEqual([[swapped]]);
    const run = { datasetId: await client.createDataset(buildDataset()), scorerGroupId: group._id };
    expect((await client.send("POST", "/runs", run)).status).toBe(201);
    expect(monitor.asked.slice(2)).toEqual([[custom, pattern]]);
  });

  test("is neither stored nor grades a run while its patterns cannot be looked up, unless it has none", async () => {
    const pattern = { kind: "pattern" as const, refId: "secrets-in-response" };
    monitor.known = [{ ...pattern, name: "n", definition: {} }];
    const group = await createGroup({ members: [pattern] });
    await monitor.stop();
    try {
      const message = "Patterns and custom scorers cannot be looked up at the moment; retry.";
      const unavailable = { status: 503, body: { message } };
      expect(await client.sendTo("POST", groups, { name: "n", members: [pattern] })).toMatchObject(unavailable);
      const run = { datasetId: await client.createDataset(buildDataset()), scorerGroupId: group._id };
      expect(await client.send("POST", "/runs", run)).toMatchObject(unavailable);
      expect((await change(group._id, { name: "Renamed" })).status).toBe(200);
      await createGroup({ members: [{ refId: await createScorer() }] });
    } finally {
      monitor = await startFakeMonitor(system.nats.url);
    }
  });

  test("has no members of another project", async () => {
    const foreign = await createScorer();
    client = createProjectClient(running.address);

    const body = { name: "n", members: [{ refId: foreign }] };
    const error = `Unknown judge scorer id "${foreign}"`;
    expect(await client.sendTo("POST", groups, body)).toMatchObject({ status: 400, body: { error } });
  });

  test("changes in the members that are sent; existing ones are not looked up again", async () => {
    const refId = await createScorer();
    const group = await createGroup({ description: "d", members: [{ refId }], online: { sampleRate: 0.5 } });
    await change(group._id, { online: null });
    await client.sendTo("DELETE", `${scorers}/${refId}`);

    const { status, body } = await change(group._id, { name: "Renamed", members: [{ refId, weight: 3 }] });

    expect(status).toBe(200);
    expect(body.scorerGroup).toMatchObject({ name: "Renamed", description: "d", members: [{ refId, weight: 3 }] });
    expect(Date.parse(body.scorerGroup.updatedAt)).toBeGreaterThanOrEqual(Date.parse(group.updatedAt));
    expect(body.scorerGroup.createdAt).toBe(group.createdAt);
    expect((await change(group._id, { members: [{ refId }, { refId: "new" }] })).body).toEqual({
      error: 'Unknown judge scorer id "new"',
    });
  });

  test("goes live with defaults, merges the members that are sent, and is detached by null", async () => {
    const group = await createGroup({ online: { alertThreshold: null } });
    const live = { enabled: true, sampleRate: 0.1, alertThreshold: null, severity: "medium", scope: "trace" };
    expect(group.online).toEqual({ ...live, idleSeconds: 120 });

    expect((await change(group._id, { online: { severity: "high" } })).body.scorerGroup.online).toMatchObject({
      ...live,
      severity: "high",
    });
    expect((await change(group._id, { name: "Same" })).body.scorerGroup.online).toMatchObject({ severity: "high" });
    expect((await change(group._id, { online: null })).body.scorerGroup.online).toBeNull();
  });

  test("goes live without judges that require an expected result, and these stay out while it is", async () => {
    const requiring = await createScorer({ judge: { requiresExpected: true } });
    const members = [{ refId: requiring }];
    const problem = { error: `Judge scorer "${requiring}" requires an expected result and cannot judge live traffic` };
    expect(await client.sendTo("POST", groups, { name: "n", members, online: {} })).toMatchObject({
      status: 400,
      body: problem,
    });
    const offline = await createGroup({ members });
    expect(await change(offline._id, { online: {} })).toMatchObject({ status: 400, body: problem });

    const harmless = await createScorer();
    await createGroup({ name: "Live", members: [{ refId: harmless }], online: {} });
    expect(await client.sendTo("PUT", `${scorers}/${harmless}`, { judge: { requiresExpected: true } })).toMatchObject({
      status: 409,
      body: { error: 'A judge that requires an expected result cannot be in the live group "Live".' },
    });
    for (const path of [`${scorers}/${harmless}`, `/api/v1/custom-agent-evaluations/evaluation-settings/${harmless}`]) {
      expect(await client.sendTo("DELETE", path)).toMatchObject({
        status: 409,
        body: { error: 'This grading config is a member of the live group "Live" - remove it first.' },
      });
    }
  });

  test("that is not the project's own is not found", async () => {
    const { _id } = await createGroup({});
    client = createProjectClient(running.address);

    for (const id of [_id, randomUUID(), "not-an-id"]) {
      const answers = [
        await client.sendTo("GET", `${groups}/${id}`),
        await change(id, { name: "mine" }),
        await client.sendTo("DELETE", `${groups}/${id}`),
        await client.sendTo("GET", `${groups}/${id}/ratings`),
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 404, body: { error: "Scorer group not found" } });
      }
    }
  });

  test("shows its scores over time, by the intervals of a window", async () => {
    const group = await createGroup({ members: [{ refId: await createScorer() }] });
    const datasetId = await client.createDataset(buildDataset());
    const ratings: Record<string, number | null> = { good: 9, fair: 4, none: null };
    judge.behave((body) => answerAll(body, { Tone: ratings[body.case.output] ?? null }));
    const runId = await client.createRun(datasetId, { scorerGroupId: group._id });
    const answer = (text: string, more = {}) => buildResult({ output: { text }, ...more });
    await client.submit(runId, [answer("good"), answer("fair"), answer("none")]);
    await client.submit(runId, [
      answer("good", { isSmokeTestVariant: true }),
      buildResult({ output: null, error: { message: "x" } }),
    ]);

    const read = async (window: string) =>
      groupRatings.parse((await client.sendTo("GET", `${groups}/${group._id}/ratings${window}`)).body);

    for (const [query, window, points] of [
      ["", "7d", 7],
      ["?window=1h", "1h", 12],
      ["?window=24h", "24h", 24],
      ["?window=30d", "30d", 30],
      ["?window=1y", "7d", 7],
    ] as const) {
      const shown = await read(query);
      expect(shown.window).toBe(window);
      expect(shown.points).toHaveLength(points);
      // The results may have come on both sides of an interval.
      expect(shown.points.reduce((count, point) => count + point.count, 0)).toBe(3);
      const sum = shown.points.reduce((total, point) => total + (point.averageRating ?? 0) * point.count, 0);
      expect(sum).toBeCloseTo(13);
      expect(shown.points[0]).toMatchObject({ averageRating: null, count: 0 });
    }
  });

  test("is gone when it is deleted", async () => {
    const { _id } = await createGroup({});
    expect(await client.sendTo("DELETE", `${groups}/${_id}`)).toMatchObject({ status: 200, body: { deleted: true } });
    expect((await client.sendTo("DELETE", `${groups}/${_id}`)).status).toBe(404);
  });
});
