import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiError, type EvaluateOptions, EvaluationError, evaluate, Touchstone } from "../src/index.ts";
import { type ScriptedApi, startScriptedApi } from "./scripted-api.ts";

let api: ScriptedApi;
let folder: string;

beforeEach(async () => {
  api = await startScriptedApi();
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-sdk-"));
});
afterEach(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

const client = () => new Touchstone({ url: api.url, apiKey: "key" });
const run = (options: Partial<EvaluateOptions> = {}) =>
  evaluate({ client: client(), dataset: "weather", task: ({ query }) => `${query} Maybe.`, folder, ...options });
const journals = () => readdir(path.join(folder, ".touchstone/runs")).catch(() => []);
const outputs = () => [...api.results.values()].map(({ output }) => (output as { text: string } | undefined)?.text);

describe("evaluate", () => {
  test("asks every case of a dataset by its name as often as wanted, under the recommended keys", async () => {
    const ended = await run({ runs: 2 });

    expect([...api.results.keys()].sort()).toEqual(
      [0, 1, 2].flatMap((index) => [1, 2].map((number) => `${ended.id}:case-${index}:run-${number}`)).sort(),
    );
    expect(ended).toMatchObject({ averageRating: 7, resultCount: 6, url: `${api.url}/p/p1/runs/${ended.id}` });
    expect(await journals()).toEqual([]);
  });

  test("stores cases from code once, as a dataset that is named for them", async () => {
    const dataset = [{ query: "Hail?", expected: "No." }];
    await run({ dataset });
    await run({ dataset });

    const created = api.requestsTo(/\/datasets$/).filter(({ method }) => method === "POST");
    expect(created.map(({ body }) => body.questions)).toEqual([
      [{ main_question: { query: "Hail?", expectedResults: "No." } }],
    ]);
  });

  test("has nothing to evaluate without a dataset, a case or a key", async () => {
    await expect(run({ dataset: "whether" })).rejects.toThrow('The project has no dataset "whether".');
    await expect(run({ dataset: [] })).rejects.toThrow("There are no cases to evaluate.");
    await expect(run({ concurrency: 0 })).rejects.toThrow("concurrency must be a whole number from 1.");
    const named = { ["x".repeat(257)]: () => 1 };
    await expect(run({ scorers: named })).rejects.toThrow("The name of a scorer is a text of 1 to 256 characters.");
    expect(api.requestsTo(/\/runs$/)).toEqual([]);
  });

  test("submits a task that throws, hangs or answers no text as failed", async () => {
    const asked: string[] = [];
    const ended = await run({
      retries: 1,
      timeoutMs: 20,
      task: ({ questionIndex, query }) => {
        asked.push(query);
        if (questionIndex === 0) throw new RangeError("no forecast");
        if (questionIndex === 1) return new Promise<string>(() => undefined);
        return undefined as unknown as string;
      },
    });

    const errors = [...api.results].map(([key, { error }]) => [key.split(":")[1], error]);
    expect(Object.fromEntries(errors)).toEqual({
      "case-0": { type: "RangeError", message: "no forecast" },
      "case-1": { type: "Timeout", message: "The task took longer than 0.02 s." },
      "case-2": {
        type: "TypeError",
        message: "The task must answer with a text, or with an object whose `output` is a text.",
      },
    });
    expect(asked.sort()).toEqual(["Rain?", "Rain?", "Snow?", "Snow?", "Wind?", "Wind?"]);
    expect(ended.resultCount).toBe(3);
  });

  test.each([
    ["traceId", 7, "a text"],
    ["retrievalContext", [{ text: "Wet." }], "a text or a list of texts"],
    ["inputTokens", "12", "a number"],
    ["outputTokens", Number.NaN, "a number"],
  ])(
    "submits an answer whose %s is %j as failed, since the server would refuse it for ever",
    async (name, value, type) => {
      await run({ task: () => ({ output: "Yes.", [name]: value }) as never });
      expect([...api.results.values()].map(({ output, error }) => ({ output, error }))).toEqual(
        Array.from({ length: 3 }, () => ({
          output: undefined,
          error: { type: "TypeError", message: `\`${name}\` of the task's answer must be ${type}.` },
        })),
      );
    },
  );

  test("submits nothing of what an answer has as null or as an empty text", async () => {
    await run({ task: () => ({ output: "", traceId: "", retrievalContext: null, inputTokens: null }) as never });
    for (const result of api.results.values()) {
      expect(result).toMatchObject({ output: { text: "" }, timings: { latencyMs: expect.any(Number) } });
      expect(Object.keys(result)).not.toContain("retrievalContext");
      expect(Object.keys(result)).not.toContain("traceId");
    }
  });

  test("submits an answer as failed that is too large together with what was retrieved", async () => {
    const half = "x".repeat(512 * 1024);
    await run({ task: () => ({ output: half, retrievalContext: [half, "x"] }) });
    for (const { error } of api.results.values()) expect(error).toMatchObject({ type: "RangeError" });
    expect(api.results.size).toBe(3);
  });

  test("has no deadline if it is longer than a timer can be", async () => {
    const late = () => new Promise<string>((resolve) => setTimeout(resolve, 20, "Yes."));
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31]) await run({ timeoutMs, task: late });
    expect([...api.results.values()].filter(({ error }) => error !== undefined)).toEqual([]);
  });

  test("runs no more tasks at a time than wanted, and submits at most ten answers at a time", async () => {
    await api.stop();
    api = await startScriptedApi(Array.from({ length: 35 }, (_, index) => `Question ${index}?`));
    let [now, most] = [0, 0];
    await run({
      concurrency: 3,
      task: async ({ query }) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise(setImmediate);
        now -= 1;
        return query;
      },
    });

    expect(most).toBe(3);
    expect(api.results.size).toBe(35);
    const sizes = api.requestsTo(/\/results$/).map(({ body }) => body.results.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
  });

  test("sends what its scorers return, and reports a scorer that throws", async () => {
    const ended = await run({
      scorers: {
        short: ({ output }) => output.length < 13,
        expected: ({ expected }) => expected,
        endless: () => Number.NaN,
        cut: () => "🦊".slice(0, 1),
        nul: () => "a\0",
        broken: () => {
          throw new Error("no model");
        },
      },
    });

    const scores = api.requestsTo(/^\/scores$/).flatMap(({ body }) => body);
    expect(scores).toHaveLength(6);
    const refused = "A score is a finite number, a boolean or a text of at most 10000 characters.";
    expect(scores).toContainEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "expected",
      value: "Rain? Yes.",
      source: "code",
      runId: ended.id,
      caseId: "case-0",
      runNumber: 1,
    });
    expect(ended.scorerFailures).toEqual({
      broken: "no model",
      cut: refused,
      endless: refused,
      nul: refused,
    });
  });

  test("a gate on the scores of a scorer that threw does not pass, and one of another scorer does", async () => {
    const failing = ({ questionIndex }: { questionIndex: number }) => {
      if (questionIndex > 0) throw new Error("no model");
      return 1;
    };
    const ended = await run({ scorers: { failing, whole: () => 1 } });
    const verdictOn = async (metric: string, passed: boolean) => {
      const checks = [{ check: "fail-under", passed, threshold: 0.9, actual: passed ? 1 : 0, detail: "" }];
      const body = { checks, paired: null, passed, gatedScorer: null, gatedMetric: metric };
      api.answerNext(/\/gate$/, { status: 200, body });
      const { verdict, undecided, exitCode } = await ended.gate({ metric, failUnder: 0.9 });
      return { verdict, undecided, exitCode };
    };

    const undecided = "The scorer failing threw, so that values are missing: no model";
    expect(await verdictOn("failing", true)).toEqual({ verdict: "undecided", undecided, exitCode: 3 });
    expect(await verdictOn("failing", false)).toMatchObject({ verdict: "failed", exitCode: 1 });
    expect(await verdictOn("whole", true)).toEqual({ verdict: "passed", undecided: null, exitCode: 0 });
  });

  test("names what to do when the installation takes no scores", async () => {
    api.answerNext(/^\/scores$/, { status: 404, body: { statusCode: 404, message: "Not found" } });
    await expect(run({ scorers: { yes: () => true } })).rejects.toThrow("upgrade it, or evaluate without scorers");
  });
});

describe("a run that was interrupted", () => {
  test("is resumed without asking again: not what the server has, and not what the journal has", async () => {
    const asked: string[] = [];
    const task = ({ query }: { query: string }) => {
      asked.push(query);
      return query;
    };
    const sorry = { status: 500, body: { error: "Sorry" } };
    api.answerNext(/\/results$/, sorry, sorry);
    const interrupted = await run({ task, concurrency: 1 }).catch((error: unknown) => error);
    expect(interrupted).toBeInstanceOf(EvaluationError);
    const { runId, message } = interrupted as EvaluationError;
    expect(message).toContain(`Sorry (500) The answers are kept: resume run ${runId}.`);
    expect(await journals()).toEqual([`${runId}.jsonl`]);
    expect(await readFile(path.join(folder, ".touchstone/.gitignore"), "utf8")).toBe("*\n");

    await api.stop();
    const results = api.results;
    api = await restart(results);
    const ended = await run({ task, resume: runId });

    expect([...asked].sort()).toEqual(["Rain?", "Snow?", "Wind?"]);
    expect(ended.id).toBe(runId);
    expect(outputs().sort()).toEqual(["Rain?", "Snow?", "Wind?"]);
    expect(await journals()).toEqual([]);

    async function restart(stored: ScriptedApi["results"]): Promise<ScriptedApi> {
      const next = await startScriptedApi();
      for (const [key, result] of stored) next.results.set(key, result);
      next.useRun(runId);
      return next;
    }
  });

  test("is resumed with the traces of the scores that it sends again", async () => {
    const foundTrace = { status: 200, body: { traces: [{ _id: "stored trace" }] } };
    const task = ({ query }: { query: string }) => ({ output: query, traceId: "0af7651916cd43dd8448eb211c80319c" });
    api.answerNext(/traces$/, ...Array(6).fill(foundTrace));
    api.answerNext(/finalize$/, { status: 400, body: { error: "Sorry" } });
    const { runId } = (await run({ task, scorers: { yes: () => true } }).catch((error) => error)) as EvaluationError;
    const sent = () => api.requestsTo(/^\/scores$/).flatMap(({ body }) => body);
    const before = sent();
    await run({ task, resume: runId });

    expect(before.map(({ traceId }) => traceId)).toEqual(Array(3).fill("stored trace"));
    expect(sent().slice(3)).toHaveLength(3);
    expect(sent().slice(3)).toEqual(expect.arrayContaining(before));
  });

  test("is resumed with the failures of its scorers, so that a gate on their values does not pass", async () => {
    const broken = (): number => {
      throw new Error("no model");
    };
    api.answerNext(/finalize$/, { status: 400, body: { error: "Sorry" } });
    const { runId } = (await run({ scorers: { broken } }).catch((error) => error)) as EvaluationError;
    const ended = await run({ scorers: { broken: () => 1 }, resume: runId });

    expect(ended.scorerFailures).toEqual({ broken: "no model" });
  });

  test("ends at once and keeps its answers when its signal is aborted", async () => {
    const interruption = new AbortController();
    const interrupted = run({
      signal: interruption.signal,
      concurrency: 1,
      task: ({ questionIndex, query }) => {
        if (questionIndex < 2) return query;
        interruption.abort(new Error("Interrupted."));
        return new Promise<string>(() => undefined);
      },
    });

    await expect(interrupted).rejects.toThrow("Interrupted. The answers are kept");
    expect(api.requestsTo(/finalize/)).toEqual([]);
    const [file] = await journals();
    const lines = (await readFile(path.join(folder, ".touchstone/runs", file ?? ""), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).result.output.text)).toEqual(["Rain?", "Snow?"]);
  });
});

describe("a request", () => {
  test("is sent again after a 429 with Retry-After, a 503 and a broken connection, with the same keys", async () => {
    api.answerNext(
      /\/results$/,
      { status: 429, headers: { "retry-after": "0" } },
      { status: 503, headers: { "retry-after": "0" } },
      null,
    );
    await run({ concurrency: 3 });

    const [first, ...others] = api
      .requestsTo(/\/results$/)
      .slice(0, 4)
      .map(({ body }) => body);
    expect(others).toEqual([first, first, first]);
    expect(api.results.size).toBe(3);
  });

  test("that creates a run is not sent again unless the server said that it stored nothing", async () => {
    api.answerNext(/\/runs$/, { status: 500, body: { error: "Unexpected" } });
    await expect(run()).rejects.toThrow(
      new ApiError("Unexpected (500)", { status: 500, body: '{"error":"Unexpected"}' }),
    );
    expect(api.requestsTo(/\/runs$/)).toHaveLength(1);
  });

  test("is not sent again after the 429 of a spent quota", async () => {
    api.answerNext(/\/runs$/, { status: 429, body: { error: "Daily trace quota reached" } });
    await expect(run()).rejects.toThrow("Daily trace quota reached (429)");
  });

  test("names the key as the reason of a 401, and never shows it", async () => {
    api.answerNext(/./, { status: 401, body: { error: "Invalid or missing API key" } });
    const refused = await run().catch((error: unknown) => error);
    expect(String(refused)).toBe("ApiError: Invalid or missing API key (401) Check TOUCHSTONE_API_KEY.");
    expect(JSON.stringify(client())).not.toContain('"key"');
  });
});
