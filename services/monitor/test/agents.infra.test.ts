import { randomUUID } from "node:crypto";
import { agentList, limits, trackedAgentList } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { fakeIngest, newProject, query, useWatchingMonitor } from "./watching-bench.ts";

useWatchingMonitor();

describe("agents", () => {
  test("are listed by name with their profiles", async () => {
    const project = newProject();
    const ids = ["shop", "bank"].map((name) => fakeIngest.addAgent(project.projectId, name));
    await project.send("PUT", "/monitor/profiles/shop", { enabled: false });

    const { agents } = agentList.parse((await project.send("GET", "/agents")).body);
    expect(agents.map(({ name }) => name)).toEqual(["bank", "shop"]);
    expect(agents[0]).toEqual({
      _id: ids[1],
      name: "bank",
      createdAt: "2026-01-01T00:00:00.000Z",
      kind: "agent",
      agentType: "external",
      monitoringAgentId: ids[1],
      monitoringProfile: null,
    });
    expect(agents[1]?.monitoringProfile).toMatchObject({ agentId: ids[0], enabled: false });
  });

  test("are listed in pages, which end early where their profiles are many megabytes", async () => {
    const project = newProject();
    const names = Array.from({ length: 290 }, (_, at) => `agent ${String(at).padStart(3, "0")}`);
    for (const name of names) fakeIngest.addAgent(project.projectId, name);
    const large = { thresholdOverrides: { note: "x".repeat(15_000) }, approvalPolicy: { note: "x".repeat(15_000) } };
    const ids = agentList.parse((await project.send("GET", "/agents")).body).agents.map(({ _id }) => _id);
    await project.send("PUT", `/monitor/profiles/${ids[0]}`, large);
    await query(
      `insert into monitor.profiles (project_id, agent_id, id, document, created_at, updated_at)
      select project_id, agent, gen_random_uuid(), document, created_at, updated_at
      from monitor.profiles, unnest($2::uuid[]) as agent
      where project_id = $1`,
      [project.projectId, ids.slice(1)],
    );

    const { body: first } = await project.send("GET", "/agents");
    const { body: rest } = await project.send("GET", `/agents?cursor=${first.nextCursor}`);
    expect(first).toMatchObject({ hasNextPage: true, truncatedBy: "bytes" });
    expect(JSON.stringify(first).length).toBeLessThan(limits.listBytesMax + 64 * 1024);
    expect(rest).not.toHaveProperty("hasNextPage");
    expect([first, rest].flatMap((page) => agentList.parse(page).agents.map(({ name }) => name))).toEqual(names);

    const { body: few } = await project.send("GET", `/ingest/tracked-agents?limit=2&cursor=${ids[10]}`);
    expect(trackedAgentList.parse(few)).toMatchObject({
      agents: [{ _id: ids[11] }, { _id: ids[12] }],
      nextCursor: ids[12],
    });
    for (const [asked, error] of [
      ["limit=0", "limit must be a number between 1 and 5000"],
      ["cursor=agent", "cursor must be the id of an agent of the project"],
      [`cursor=${randomUUID()}`, "cursor must be the id of an agent of the project"],
    ]) {
      expect(await project.send("GET", `/agents?${asked}`)).toEqual({ status: 400, body: { error } });
      expect(await project.send("GET", `/ingest/tracked-agents?${asked}`)).toEqual({ status: 400, body: { error } });
    }
  });

  test("are tracked until they are not: their profile is switched with it", async () => {
    const project = newProject();
    const traffic = { traceCount: 3, lastSeenAt: "2026-01-02T00:00:00.000Z" };
    const agentId = fakeIngest.addAgent(project.projectId, "shop", traffic);
    const shown = (tracked: boolean) => ({
      status: 200,
      body: { agents: [{ _id: agentId, name: "shop", tracked, ...traffic }] },
    });
    const listed = await project.send("GET", "/ingest/tracked-agents");
    trackedAgentList.parse(listed.body);
    expect(listed).toEqual(shown(true));

    expect(await project.send("PUT", "/ingest/tracked-agents", { agentId, tracked: false })).toEqual(shown(false));
    expect((await project.send("GET", "/monitor/profiles/shop")).body.profile.enabled).toBe(false);
    expect(await project.send("PUT", "/ingest/tracked-agents", { agentId, tracked: true })).toEqual(shown(true));

    const put = (body: object) => project.send("PUT", "/ingest/tracked-agents", body);
    expect(await put({})).toEqual({ status: 400, body: { error: "agentId is required" } });
    expect(await put({ agentId: "" })).toEqual({ status: 400, body: { error: "agentId is required" } });
    expect(await put({ agentId })).toEqual({ status: 400, body: { error: "tracked must be a boolean" } });
    expect(await put({ agentId: "none", tracked: true })).toEqual({ status: 404, body: { error: "Agent not found" } });
    const foreign = fakeIngest.addAgent(randomUUID(), "foreign");
    expect(await put({ agentId: foreign, tracked: true })).toEqual({
      status: 403,
      body: { error: "Agent not found in workspace or insufficient permissions" },
    });
  });
});
