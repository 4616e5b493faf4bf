import { describe, expect, test } from "vitest";
import { type DerivedSpan, type DerivedTrace, deriveTrace } from "../../src/assembly/derive-trace.ts";
import type { TreeFragment, TreeSpan } from "../../src/assembly/tree.ts";
import type { Derivation } from "../../src/model/derivation.ts";
import type { FragmentFacts } from "../../src/model/incoming-fragment.ts";
import type { OwnFacts } from "../../src/model/own-facts.ts";
import { toTokenList } from "../../src/model/token-list.ts";
import { seededRandom } from "./exports.ts";

type Said = Partial<Omit<TreeSpan, "facts" | "ownTokens">> & { facts?: Partial<OwnFacts>; tokens?: number[] };

/** `a` is the id of the span and of its row; `a<b` has the parent b. Starts follow the order of the list. */
function trace(spans: Record<string, Said>, fragments: TreeFragment[] = []): DerivedTrace & { of(id: string): Shown } {
  const list = Object.entries(spans).map(([key, { facts, tokens, ...said }], index): TreeSpan => {
    const [id = "", parentSpanId = null] = key.split("<");
    return {
      id,
      spanId: id,
      parentSpanId,
      parentIsRemote: false,
      isPromoted: false,
      kind: "chain",
      startedAtMs: index,
      endedAtMs: 100 + index,
      ownTokens: toTokenList(tokens ?? []),
      responseId: null,
      ...said,
      facts: { name: `name of ${id}`, ...facts },
    };
  });
  const derived = deriveTrace(list, fragments);
  return {
    ...derived,
    of(id) {
      const span = derived.spans.find((candidate) => candidate.id === id) as DerivedSpan;
      return { ...span, adds: span.derived === null ? {} : JSON.parse(span.derived) };
    },
  };
}

type Shown = DerivedSpan & { adds: Derivation };

function fragment(said: Partial<TreeFragment> & { facts: FragmentFacts }): TreeFragment {
  return { dk: "d", spanId: null, responseId: null, timeNano: 1n, ...said };
}

function rootsOf({ spans }: DerivedTrace): string[] {
  return spans
    .filter(({ isRoot }) => isRoot)
    .map(({ id }) => id)
    .sort();
}

describe("a root", () => {
  test.each<[string, Record<string, Said>, string[]]>([
    ["has no parent", { a: {}, "b<a": {} }, ["a"]],
    ["is its own parent", { "a<a": {}, "b<a": {} }, ["a"]],
    ["has a parent in another process that sends nothing here", { "a<x": { parentIsRemote: true } }, ["a"]],
    ["is no root when that parent came here", { x: {}, "a<x": { parentIsRemote: true } }, ["x"]],
    ["may be one of several", { a: {}, b: {}, "c<b": {} }, ["a", "b"]],
    ["is not who only waits for its parent", { "a<x": {} }, []],
    ["is who waited long enough", { "a<x": { isPromoted: true }, "b<x": {} }, ["a"]],
    ["is who was promoted no longer than its parent is missing", { "x<y": {}, "a<x": { isPromoted: true } }, []],
    ["is the earliest of a circle", { "b<c": {}, "a<b": {}, "c<a": {}, "d<c": {} }, ["b"]],
    ["is the smaller id of two that start at once", { "b<a": { startedAtMs: 1 }, "a<b": { startedAtMs: 1 } }, ["a"]],
  ])("%s", (_what, spans, roots) => {
    expect(rootsOf(trace(spans))).toEqual(roots);
  });

  test("that could be promoted is the earliest orphan, and none where there is a root", () => {
    expect(trace({ "a<x": { startedAtMs: 5 }, "b<x": { startedAtMs: 4 } }).firstOrphan).toBe("b");
    expect(trace({ "a<x": {}, r: {} }).firstOrphan).toBeNull();
  });

  test("keeps the mark of its promotion as long as its parent is missing", () => {
    expect(trace({ "a<x": { isPromoted: true } }).of("a").isPromoted).toBe(true);
    expect(trace({ x: {}, "a<x": { isPromoted: true } }).of("a").isPromoted).toBe(false);
  });

  test("is named after its agent when promoted, and after itself when its remote parent came", () => {
    const promoted = { isPromoted: true, facts: { name: "invoke_agent planner" } };
    expect(trace({ "a<x": promoted }).of("a").name).toBe("planner");
    expect(trace({ "a<x": { ...promoted, facts: { name: "step", agent: "boss" } } }).of("a").name).toBe("boss");
    const remote = { parentIsRemote: true, facts: { name: "boss", asChild: "invoke_agent boss" } };
    expect(trace({ "a<x": remote }).of("a").name).toBe("boss");
    expect(trace({ x: {}, "a<x": remote }).of("a").name).toBe("invoke_agent boss");
  });
});

describe("tokens", () => {
  test("are the greater of a span's own report and its children's sum, for each component separately", () => {
    const spans = {
      root: { tokens: [240, 10] },
      "a<root": { kind: "llm", tokens: [120, 24] },
      "b<root": { kind: "llm", tokens: [120, 24, 64] },
    };
    expect(trace(spans).of("root").aggTokens).toEqual([240, 48, 64, null, null]);
  });

  test("of a root that repeats its last step are those of all steps", () => {
    const spans = { root: { tokens: [120, 24] }, "a<root": { tokens: [120, 24] }, "b<root": { tokens: [120, 24] } };
    expect(trace(spans).of("root").aggTokens?.slice(0, 2)).toEqual([240, 48]);
  });

  test("survive a child that was not exported", () => {
    expect(trace({ root: { tokens: [240, 48] }, "a<root": { tokens: [120, 24] } }).of("root").aggTokens).toBeNull();
  });

  test("of an agent's whole life count only where no call reports any", () => {
    const root: Said = { kind: "agent", tokens: [900, 90], facts: { countsLifetime: true } };
    expect(trace({ root, "a<root": { kind: "llm", tokens: [120] } }).of("root").aggTokens?.[0]).toBe(120);
    expect(trace({ root, "a<root": { kind: "llm" } }).of("root").aggTokens).toBeNull();
  });

  test("of one call that two instrumentations saw count once, and of two calls twice", () => {
    const call = { kind: "llm", tokens: [120, 24], responseId: "r" };
    const other = { ...call, responseId: "s" };
    expect(trace({ root: {}, "a<root": call, "b<root": call }).of("root").aggTokens?.[0]).toBe(120);
    expect(trace({ root: {}, "a<root": call, "b<root": other }).of("root").aggTokens?.[0]).toBe(240);
  });

  test("reach the top of a trace without root", () => {
    expect(
      trace({ "a<x": {}, "b<a": { tokens: [1, 2] } })
        .of("a")
        .aggTokens?.slice(0, 2),
    ).toEqual([1, 2]);
  });

  test("are counted once: a parent keeps the part that no child reports, of two reports of one call the first all", () => {
    const call = { kind: "llm", responseId: "r" };
    const { of } = trace({
      root: { tokens: [300, 40] },
      "a<root": { ...call, tokens: [120, 24, 64] },
      "b<root": { ...call, tokens: [130, 20] },
      "c<root": { kind: "agent", tokens: [100, 9] },
      "d<c": { kind: "llm", tokens: [100, 9] },
    });
    const net = (id: string) => of(id).netTokens?.slice(0, 3) ?? null;
    expect(["root", "a", "b", "c", "d"].map(net)).toEqual([
      [70, 7, 0],
      [120, 24, 64],
      [10, 0, null],
      null,
      [100, 9, null],
    ]);
  });

  test("are not repeated where they are the span's own", () => {
    expect(trace({ a: { tokens: [1, 2] } }).of("a").aggTokens).toBeNull();
  });
});

describe("calls of tools", () => {
  const tool = (facts: Partial<OwnFacts> = {}): Said => ({ kind: "tool", facts });

  test("are counted once each: not the client's span within the framework's, nor a span of the same call elsewhere", () => {
    const { of } = trace({
      root: {},
      "a<root": tool({ toolName: "search", toolCallId: "1" }),
      "b<a": tool({ toolName: "search" }),
      "c<root": tool({ toolName: "fetch", toolCallId: "1", failed: true }),
      "d<root": tool({ toolName: "fetch", toolCallId: "2", failed: true }),
    });
    expect(["root", "a", "b", "c", "d"].map((id) => of(id).tools)).toEqual([
      null,
      "1 0 search",
      null,
      null,
      "1 1 fetch",
    ]);
  });

  test("are shown by roots and agents, by start", () => {
    const spans = { root: {}, "agent<root": { kind: "agent" }, "t2<agent": tool(), "t1<agent": tool() };
    const shown = trace({ ...spans, "step<agent": {}, "t3<step": tool() });
    expect(shown.of("root").adds.toolsFrom).toEqual(["t2", "t1", "t3"]);
    expect(shown.of("agent").adds.toolsFrom).toEqual(["t2", "t1", "t3"]);
    expect(shown.of("step").derived).toBeNull();
  });

  test("are fifty at most, the first ones", () => {
    const spans: Record<string, Said> = { root: {} };
    for (let index = 10; index < 80; index += 1) spans[`t${index}<root`] = tool();
    expect(trace(spans).of("root").adds.toolsFrom).toEqual(Array.from({ length: 50 }, (_, index) => `t${index + 10}`));
  });

  test("of one call fold into the outer span", () => {
    const nested = { root: {}, "t<root": tool({ toolCallId: "1" }), "mcp<t": tool({ toolCallId: "1" }) };
    expect(trace(nested).of("root").adds.toolsFrom).toEqual(["t"]);
    const named = { root: {}, "t<root": tool({ toolName: "w" }), "m<t": {}, "mcp<m": tool({ toolName: "w" }) };
    expect(trace(named).of("root").adds.toolsFrom).toEqual(["t"]);
    const other = { root: {}, "t<root": tool({ toolCallId: "1" }), "u<t": tool({ toolCallId: "2" }) };
    expect(trace(other).of("root").adds.toolsFrom).toEqual(["t", "u"]);
    const apart = { root: {}, "m<root": {}, "mcp<m": tool({ toolCallId: "1" }), "t<root": tool({ toolCallId: "1" }) };
    expect(trace(apart).of("root").adds.toolsFrom).toEqual(["t"]);
  });

  test("come from the models when there are no tools, if any model requested one", () => {
    const silent = { root: {}, "a<root": { kind: "llm" }, "b<root": { kind: "llm" } };
    expect(trace(silent).of("root").adds.callsFrom).toBeUndefined();
    const asking = { ...silent, "a<root": { kind: "llm", facts: { callsTools: true as const } } };
    expect(trace(asking).of("root").adds.callsFrom).toEqual(["a", "b"]);
    expect(trace({ ...asking, "t<root": tool() }).of("root").adds).toMatchObject({ toolsFrom: ["t"] });
  });

  test("of a root that is a model itself are its own", () => {
    expect(trace({ a: { kind: "llm", facts: { callsTools: true } } }).of("a").adds.callsFrom).toEqual(["a"]);
  });
});

describe("a root without input and output", () => {
  const both = { hasInput: true, hasOutput: true } as const;

  test("shows the earliest input and the latest output of the agents highest up", () => {
    const agent = (endedAtMs: number): Said => ({ kind: "agent", endedAtMs, facts: both });
    const spans = {
      root: {},
      "llm<root": { kind: "llm", facts: both },
      "s<root": {},
      "a<s": agent(9),
      "b<s": agent(5),
    };
    const { adds } = trace({ ...spans, "deep<a": agent(99) }).of("root");
    expect(adds).toMatchObject({ inputFrom: "a", outputFrom: "a" });
  });

  test("takes from models where no agent has any, then from chains", () => {
    expect(trace({ root: {}, "c<root": { facts: both }, "m<c": { kind: "llm", facts: both } }).of("root").adds).toEqual(
      {
        inputFrom: "m",
        outputFrom: "m",
      },
    );
    expect(trace({ root: {}, "c<root": { facts: both } }).of("root").adds).toEqual({ inputFrom: "c", outputFrom: "c" });
  });

  test("borrows only missing fields, and only a root borrows", () => {
    const spans = { root: { facts: { hasInput: true as const } }, "c<root": {}, "m<c": { kind: "llm", facts: both } };
    expect(trace(spans).of("root").adds).toEqual({ outputFrom: "m" });
    expect(trace(spans).of("c").derived).toBeNull();
  });
});

describe("what holds for the whole trace", () => {
  test("is said by the root, else by the span highest up, else by the earliest", () => {
    const spans = {
      "late<root": { facts: { session: "late" } },
      "early<root": { startedAtMs: -5, facts: { session: "early" } },
      "deep<early": { startedAtMs: -9, facts: { session: "deep", userId: "u" } },
    };
    expect(trace({ root: {}, ...spans }).sessionId).toBe("early");
    expect(trace({ root: { facts: { session: "root" } }, ...spans }).sessionId).toBe("root");
    expect(trace({ root: {}, ...spans }).of("root")).toMatchObject({ sessionId: "early", adds: { userId: "u" } });
  });

  test("is not repeated on a root that says it itself", () => {
    const facts = { userId: "u", environment: "prod", tags: ["a"] };
    const shown = trace({ root: { facts } });
    expect(shown.of("root").derived).toBeNull();
    expect(JSON.parse(shown.shared ?? "")).toEqual(facts);
  });

  test("an agent is named by the root, else by the topmost agent, else by the root's operation", () => {
    const member = { facts: { agent: "helper" } };
    expect(trace({ root: { facts: { agent: "boss" } }, "a<root": member }).agentName).toBe("boss");
    expect(trace({ root: {}, "s<root": member, "a<s": { kind: "agent", facts: { agent: "planner" } } }).agentName).toBe(
      "planner",
    );
    expect(trace({ root: {}, "s<root": member }).agentName).toBe("helper");
    expect(trace({ root: { facts: { name: "chat gpt-5" } } }).agentName).toBe("gpt-5");
  });
});

describe("a model", () => {
  const call = (model: string, more: Said = {}): Said => ({ kind: "llm", ...more, facts: { model } });

  test("of a root is its own, else that of the call highest up that ended last; all are listed when they differ", () => {
    const spans = { root: {}, "a<root": call("m1", { endedAtMs: 9 }), "b<root": call("m2", { endedAtMs: 5 }) };
    const { model, adds } = trace({ ...spans, "s<root": {}, "c<s": call("m3", { endedAtMs: 99 }) }).of("root");
    expect(model).toBe("m1");
    expect(adds.models).toEqual(["m1", "m2", "m3"]);
    expect(trace({ ...spans, root: { facts: { model: "own" } } }).of("root").model).toBe("own");
  });

  test("is borrowed only by a root that names none, from a call below it", () => {
    const borrows = (spans: Record<string, Said>, id: string) => trace(spans).of(id).borrowsModel;
    const spans = { root: {}, "s<root": {}, "a<s": call("m") };
    expect(["root", "s", "a"].map((id) => borrows(spans, id))).toEqual([true, false, false]);
    expect(borrows({ ...spans, root: { facts: { model: "m" } } }, "root")).toBe(false);
    expect(borrows({ root: {}, "s<root": {} }, "root")).toBe(false);
  });

  test("is not listed when there is one", () => {
    expect(trace({ root: {}, "a<root": call("m"), "b<root": call("m") }).of("root")).toMatchObject({
      model: "m",
      derived: null,
    });
  });
});

test("failed descendants are counted on roots and agents and make no other span fail", () => {
  const failed = { facts: { failed: true as const } };
  const shown = trace({ root: {}, "a<root": { kind: "agent" }, "b<a": failed, "c<b": failed, "d<root": failed });
  expect(shown.of("root")).toMatchObject({ hasError: false, adds: { childErrors: 3 } });
  expect(shown.of("a")).toMatchObject({ hasError: false, adds: { childErrors: 2 } });
  expect(shown.of("b")).toMatchObject({ hasError: true, derived: null });
});

describe("a log record", () => {
  test("counts as if its span had said it, and the span wins", () => {
    const spans = { root: {}, "a<root": { kind: "llm", tokens: [100], facts: { model: "own" } } };
    const facts = { inputTokens: 7, outputTokens: 9, model: "logged", error: "e", sessionId: "s", userId: "u" };
    const shown = trace(spans, [fragment({ spanId: "a", facts })]);
    expect(shown.of("a")).toMatchObject({ model: "own", hasError: true, adds: { hasFragments: true } });
    expect(shown.of("a").aggTokens?.slice(0, 2)).toEqual([100, 9]);
    expect(shown.of("root")).toMatchObject({ model: "own", sessionId: "s", adds: { userId: "u", childErrors: 1 } });
  });

  test("gives a root input and output to borrow", () => {
    const spans = { root: {}, "a<root": { kind: "llm" } };
    const facts = { hasInput: true, hasOutput: true } as const;
    const { adds } = trace(spans, [fragment({ spanId: "a", facts })]).of("root");
    expect(adds).toMatchObject({ inputFrom: "a", outputFrom: "a", callsFrom: ["a"] });
  });

  test("that knows only the response belongs to the spans of that response", () => {
    const spans = { root: {}, "a<root": { kind: "llm", responseId: "r" }, "b<root": { kind: "llm", responseId: "s" } };
    const shown = trace(spans, [fragment({ responseId: "r", facts: { model: "m" } })]);
    expect([shown.of("a").model, shown.of("b").model]).toEqual(["m", null]);
  });

  test("is beaten by an earlier one, whatever order they came in", () => {
    const early = fragment({ dk: "1", spanId: "a", timeNano: 1n, facts: { model: "early" } });
    const late = fragment({ dk: "0", spanId: "a", timeNano: 2n, facts: { model: "late" } });
    for (const both of [
      [early, late],
      [late, early],
    ]) {
      expect(trace({ a: {} }, both).of("a").model).toBe("early");
    }
  });
});

test("a trace of ten thousand spans in one line, or around one circle, is derived without recursion", () => {
  const line: Record<string, Said> = { s0: { kind: "agent" } };
  for (let index = 1; index < 10_000; index += 1) line[`s${index}<s${index - 1}`] = { kind: "agent", tokens: [index] };
  expect(trace(line).of("s0").aggTokens?.[0]).toBe(9_999);
  const circle = Object.fromEntries(Object.entries(line).slice(1));
  expect(rootsOf(trace({ "s0<s9999": {}, ...circle }))).toEqual(["s0"]);
});

test("any trees, in any order, derive to the same", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seededRandom(seed);
    const pick = <Value>(...values: Value[]): Value => values[Math.floor(random() * values.length)] as Value;
    const spans = Array.from({ length: 12 }, (_, index): TreeSpan => {
      const facts: OwnFacts = { name: `n${index}` };
      if (random() < 0.3) facts.session = pick("s1", "s2");
      if (random() < 0.3) facts.agent = pick("a1", "a2");
      if (random() < 0.3) facts.toolCallId = pick("1", "2");
      if (random() < 0.3) facts.hasInput = true;
      if (random() < 0.3) facts.hasOutput = true;
      if (random() < 0.3) facts.userId = pick("u1", "u2");
      return {
        id: `r${index}`,
        spanId: `s${index}`,
        parentSpanId: random() < 0.2 ? null : `s${Math.floor(random() * 14)}`,
        parentIsRemote: random() < 0.1,
        isPromoted: random() < 0.1,
        kind: pick("agent", "llm", "tool", "chain"),
        startedAtMs: pick(null, 1, 2, 3),
        endedAtMs: pick(null, 4, 5),
        ownTokens: random() < 0.5 ? null : [pick(1, 2, 3), pick(null, 5), null, null, null],
        responseId: pick(null, null, "x", "y"),
        facts,
      };
    });
    const fragments = [0, 1, 2].map((index) =>
      fragment({
        dk: `d${index}`,
        spanId: pick(null, "s1"),
        responseId: pick("x", "y"),
        facts: { model: `m${index}` },
      }),
    );
    const byId = (derived: DerivedTrace) => ({
      ...derived,
      spans: derived.spans.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    });
    const once = byId(deriveTrace(spans, fragments));
    const again = spans.map((span) => ({ span, at: random() })).sort((left, right) => left.at - right.at);
    const shuffled = deriveTrace(
      again.map(({ span }) => span),
      fragments.toReversed(),
    );
    expect(byId(shuffled), `seed ${seed}`).toEqual(once);
  }
});
