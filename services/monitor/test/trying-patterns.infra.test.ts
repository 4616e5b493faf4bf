import { randomUUID } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { patternTrialReply, writeRegex } from "@touchstone/contracts";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import type { ProjectClient } from "./start-monitor.ts";
import { endless, tedious } from "./tedious-regex.ts";
import {
  asJudge,
  asked,
  createPattern,
  fakeIngest,
  judgeBy,
  listSignals,
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

type WriteRegex = (body: z.output<typeof writeRegex.body>) => z.input<typeof writeRegex.reply>;
let writes: WriteRegex;

beforeAll(async () => {
  await asJudge.answer(writeRegex, async (body) => writes(body), { concurrency: 4 });
});

describe("a pattern that is not stored", () => {
  const tryOut = async (project: ProjectClient, body: object) => {
    const answer = await project.send("POST", "/agent-monitoring/patterns/dry-run", body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return patternTrialReply.parse(answer.body);
  };
  const seen = (project: ProjectClient, count: number) =>
    vi.waitFor(async () => {
      const rows = await query("select from monitor.seen_traces where project_id = $1", [project.projectId]);
      expect(rows).toHaveLength(count);
    });

  test("is tried on the newest traces, shows the matched text, and stores nothing", async () => {
    const project = newProject();
    const traces = ["My lawyer says so.", "Nothing.", `${"x".repeat(200)} a LAWYER ${"y".repeat(200)}`].map((output) =>
      record(project, { output }),
    );
    const unwatched = record(project, { output: "lawyer" }, { trafficSource: "eval-run" });
    await store(...traces, unwatched);
    await seen(project, 4);

    expect(await tryOut(project, { includeTerms: ["lawyer"] })).toEqual({
      checked: 3,
      matched: 2,
      matches: [
        {
          traceId: traces[2]?.traceId,
          source: "response",
          excerpt: `…${"x".repeat(77)} a LAWYER ${"y".repeat(79)}…`,
        },
        { traceId: traces[0]?.traceId, source: "response", excerpt: "My lawyer says so." },
      ],
    });
    expect(await tryOut(project, { regex: "law\\w+ says", limit: 1 })).toEqual({ checked: 1, matched: 0, matches: [] });
    expect(await tryOut(project, { regex: "law\\w+ says", window: "24h" })).toMatchObject({ checked: 3, matched: 1 });
    const scoped = { includeTerms: ["lawyer"], scopeMode: "selected", agentIds: [randomUUID()] };
    expect(await tryOut(project, scoped)).toEqual({ checked: 0, matched: 0, matches: [] });

    expect((await project.send("GET", "/monitor/patterns")).body.patterns).toHaveLength(6);
    expect(await listSignals(project)).toEqual([]);
    expect(await outcomesOf(project)).toEqual([]);
  });

  test("is tried on the named traces; missing ones and another project's are reported", async () => {
    const project = newProject();
    const own = record(project, { output: "lawyer", input: "Why?" }).traceId;
    const foreign = record(newProject(), { output: "lawyer" }).traceId;

    const traceIds = [foreign, own, "nonsense", own];
    expect(await tryOut(project, { includeTerms: ["why"], matchTarget: ["userMessage"], traceIds })).toEqual({
      checked: 1,
      matched: 1,
      matches: [{ traceId: own, source: "userMessage", excerpt: "Why?" }],
      errors: [
        { traceId: foreign, message: "Trace not found" },
        { traceId: "nonsense", message: "Trace not found" },
      ],
    });
    fakeIngest.isUnavailable = true;
    const away = await tryOut(project, { includeTerms: ["why"], traceIds: [own] });
    fakeIngest.isUnavailable = false;
    expect(away).toEqual({
      ...{ checked: 0, matched: 0, matches: [] },
      errors: [{ traceId: own, message: "The trace could not be read" }],
    });
  });

  test("may be a phrase with any character that means something in a regex", async () => {
    const project = newProject();
    const value = "well-known (a.k.a. [old] {x} \\\\ /^$|*+?-)";
    const { traceId } = record(project, { output: `It is ${value}.` });

    expect(await tryOut(project, { conditions: [{ detector: "phrase", value }], traceIds: [traceId] })).toEqual({
      checked: 1,
      matched: 1,
      matches: [{ traceId, source: "response", excerpt: `It is ${value}.` }],
    });
  });

  test("asks the judge about five traces at most, and not about what needs no judge", async () => {
    const project = newProject();
    judgeBy(() => true);
    const outputs = ["plain", ...Array.from({ length: 7 }, (_, number) => `rude ${number}`)];
    const traceIds = outputs.map((output) => record(project, { output }).traceId);
    asked.length = 0;

    const conditions = [
      { detector: "contains", value: "rude" },
      { detector: "semantic", value: "is rude" },
    ];
    const trial = await tryOut(project, { conditions, traceIds });

    expect(asked).toHaveLength(5);
    expect(trial).toMatchObject({ checked: 6, matched: 5 });
    expect(trial.errors).toHaveLength(2);
    expect(trial.errors?.[0]?.message).toBe("A judge is asked about at most 5 traces");
    // Nothing of it is live traffic.
    expect(await query("select from monitor.live_calls where project_id = $1", [project.projectId])).toEqual([]);
  });

  test("that takes too long on a trace reports it, tries the others, and delays no other project", async () => {
    const project = newProject();
    const traceIds = [tedious, "ab", ""].map((output) => record(project, { output }).traceId);
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const [trial, created] = await Promise.all([
      tryOut(project, { conditions: endless, traceIds }),
      newProject().send("POST", "/monitor/patterns", { name: "Other", regex: "a+b" }),
    ]);
    delay.disable();
    expect(trial).toEqual({
      ...{ checked: 2, matched: 0, matches: [] },
      errors: [{ traceId: traceIds[0], message: "The pattern took too long on this trace" }],
    });
    expect(created.status).toBe(201);
    expect(delay.max / 1e6).toBeLessThan(2_000);
  });

  test("says where a text was longer than is looked at", async () => {
    const project = newProject();
    const long = "x".repeat(256 * 1024);
    const traceId = record(project, { output: `${long} lawyer` }).traceId;
    const message = "Only the first 262144 characters of the response were looked at.";
    const trial = await tryOut(project, { includeTerms: ["lawyer"], traceIds: [traceId] });
    expect(trial).toEqual({ checked: 1, matched: 0, matches: [], cut: [{ traceId, message }] });
    const { cut } = await tryOut(project, { regex: "lawyer", traceIds: [traceId] });
    expect(cut?.[0]?.message).toBe("Regexes and judges read only the first 65536 characters of the response.");

    await createPattern(project, { includeTerms: ["lawyer"] });
    await settle(record(project, { output: `${long} lawyer` }));
    await untilChecked(project, 1);
    const reasons = await query("select outcome, reason from monitor.checks where project_id = $1", [
      project.projectId,
    ]);
    expect(reasons).toEqual([{ outcome: "done", reason: message }]);
  });

  test("is refused with the reason", async () => {
    const project = newProject();
    const includeTerms = ["a"];
    for (const [body, error] of [
      [{}, "Add at least one condition (includeTerms, regex, or semanticPrompt)"],
      [{ regex: "a(" }, "Invalid regex: error parsing regexp: missing closing ): `a(`"],
      [{ includeTerms, window: "1y" }, "window must be one of: 24h, 7d, 30d"],
      [{ includeTerms, limit: 201 }, "limit must be an integer between 1 and 200"],
      [{ includeTerms, traceIds: [] }, "traceIds must be an array of strings"],
      [{ includeTerms, traceIds: Array(201).fill("a") }, "traceIds must have at most 200 entries"],
    ] as const) {
      const answer = await project.send("POST", "/agent-monitoring/patterns/dry-run", body);
      expect(answer).toEqual({ status: 400, body: { error } });
    }
  });
});

describe("a regex from a description", () => {
  const generate = (body: object) => newProject().send("POST", "/agent-monitoring/patterns/generate-regex", body);

  test("is the judge's text, which is sent back once with its error", async () => {
    const told: unknown[] = [];
    writes = ({ description, rejected }) => {
      told.push({ description, rejected });
      return { suggestion: { regex: rejected === null ? "(a+)+" : "a+", explanation: null }, failure: null };
    };

    expect(await generate({ description: "some As" })).toEqual({ status: 200, body: { regex: "a+" } });

    const because = "Invalid regex: an unbounded repeat of an unbounded repeat: `(a+)+`";
    expect(told).toEqual([
      { description: "some As", rejected: null },
      { description: "some As", rejected: { regex: "(a+)+", because } },
    ]);
    writes = () => ({ suggestion: { regex: "b", explanation: "A b." }, failure: null });
    expect((await generate({ description: "b" })).body).toEqual({ regex: "b", explanation: "A b." });
  });

  test("is refused where there is none that can be used", async () => {
    writes = () => ({ suggestion: { regex: "a(", explanation: null }, failure: null });
    expect(await generate({ description: "a" })).toEqual({
      status: 422,
      body: {
        error:
          "The judge wrote no regex that can be used. Invalid regex: error parsing regexp: missing closing ): `a(`",
      },
    });
    writes = () => ({ suggestion: null, failure: { reason: "no_key", message: "There is no key." } });
    expect(await generate({ description: "a" })).toEqual({ status: 422, body: { error: "There is no key." } });
    expect(await generate({ description: " " })).toEqual({ status: 400, body: { error: "description is required" } });
    expect((await generate({ description: "a".repeat(4001) })).status).toBe(400);
  });
});
