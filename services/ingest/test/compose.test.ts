import { describe, expect, test } from "vitest";
import type { ComposableSpan, LendingRow } from "../src/assembly/composable.ts";
import { type ComposeLoader, composeSpans } from "../src/assembly/compose.ts";
import { composeInParts } from "../src/assembly/compose-in-parts.ts";
import type { Derivation } from "../src/model/derivation.ts";
import type { FragmentBody } from "../src/model/fragment-body.ts";
import { decodeSpanBody, emptyBody, encodePlainBody, readBodyMembers, type SpanBody } from "../src/model/span-body.ts";

/** Members as JSON texts. */
function bodyOf(members: Partial<SpanBody>): Buffer {
  return encodePlainBody({ ...emptyBody, ...members });
}

function span(derived: Derivation | null, members: Partial<SpanBody> = {}, kind = "chain"): ComposableSpan {
  return { id: "root", kind, derived, body: bodyOf(members) };
}

function row(id: string, kind: string, members: Partial<SpanBody>, hasFragments = false): LendingRow {
  return { id, spanId: `span ${id}`, kind, hasFragments, body: bodyOf(members) };
}

type Fragments = Record<string, Omit<FragmentBody, "order">[]>;

/** A loader over a test's data, in slices of two; `calls` counts its slices. */
function load(rows: LendingRow[], fragments: Fragments = {}): ComposeLoader & { calls: number } {
  const slices = <Item>(items: Item[]): Item[][] =>
    Array.from({ length: Math.ceil(items.length / 2) }, (_, at) => items.slice(2 * at, 2 * at + 2));
  return {
    calls: 0,
    digests() {
      throw new Error("nothing is recalled");
    },
    async *rows(ids) {
      for (const slice of slices(rows.filter(({ id }) => ids.includes(id)))) {
        this.calls += 1;
        yield slice;
      }
    },
    async *fragments(ids) {
      this.calls += 1;
      const order = { observedNano: "0", index: 0 };
      yield new Map(ids.map((id) => [id, (fragments[id] ?? []).map((body) => ({ ...body, order }))]));
    },
  };
}

async function compose(composed: ComposableSpan, loader: ComposeLoader, metadata = true): Promise<SpanBody> {
  const [read] = await composeSpans([composed], loader, { metadata });
  return readBodyMembers(await decodeSpanBody((read as ComposableSpan).body));
}

const conversation = JSON.stringify([
  { role: "system", content: "Be brief." },
  { role: "user", content: "Weather in Paris?" },
]);

describe("a span with nothing to add", () => {
  test("passes as it is, and nothing is read for it", async () => {
    const plain = span(null, { input: '{"a":1e400,"b":-0}' });
    const loader = load([]);
    expect(await composeSpans([plain], loader, { metadata: true })).toEqual([plain]);
    expect(loader.calls).toBe(0);
  });
});

describe("the fields that a root borrows", () => {
  const rows = [
    row("asked", "llm", { input: conversation, output: '{"role":"assistant","content":"","tool_calls":[]}' }),
    row("answered", "llm", { input: "[]", output: '"Sunny."' }),
    row("agent", "agent", { input: '"asked of the agent"' }),
  ];

  test("from a model call: the user's last message, and the text of the answer", async () => {
    const body = await compose(span({ inputFrom: "asked", outputFrom: "answered" }), load(rows));
    expect(body).toMatchObject({ input: '"Weather in Paris?"', output: '"Sunny."' });
    expect(JSON.parse(body.metadata as string)).toEqual({
      otel: { ioFrom: { input: "span asked", output: "span answered" } },
    });
  });

  test("from an agent: the very text, to the last digit", async () => {
    const exact = row("exact", "agent", { input: '{"big":12345678901234567890,"zero":-0}', output: "1e400" });
    const body = await compose(span({ inputFrom: "exact", outputFrom: "exact" }), load([exact]));
    expect(body).toMatchObject({ input: '{"big":12345678901234567890,"zero":-0}', output: "1e400" });
    expect(body.metadata).toBe('{"otel":{"ioFrom":"span exact"}}');
  });

  test("is shown only where it has nothing itself, and a lender that is gone lends nothing", async () => {
    const own = await compose(span({ inputFrom: "agent" }, { input: '"own"' }), load(rows));
    expect(own).toMatchObject({ input: '"own"', metadata: null });
    const gone = await compose(span({ inputFrom: "nobody" }), load(rows));
    expect(gone).toMatchObject({ input: null, metadata: null });
  });
});

describe("log records in slices: no two slices are needed at a time", () => {
  const ids = ["first", "second", "third"];

  /** Tools with their results in log records, which come one slice for each; `used` has those whose record was read. */
  function loadTools(): ComposeLoader {
    const used = new Set<string>();
    const loader = load(ids.map((id) => row(id, "tool", { toolCalls: `[{"name":"${id}"}]` }, true)));
    loader.fragments = async function* (asked) {
      for (const id of asked) {
        expect([...used]).toEqual(ids.slice(0, ids.indexOf(id)));
        const body = {
          order: { observedNano: "0", index: 0 },
          get toolCall() {
            used.add(id);
            return { name: id, success: true, output: `result of ${id}` };
          },
        };
        yield new Map([[id, [body]]]);
      }
    };
    return loader;
  }

  test("those of lenders", async () => {
    const body = await compose(span({ toolsFrom: ids }), loadTools());
    expect(JSON.parse(body.toolCalls as string)).toMatchObject(
      ids.map((name) => ({ name, output: `result of ${name}` })),
    );
  });

  test("those of spans that are composed in parts, in order, with spans that have none", async () => {
    const tool = (id: string, derived: Derivation | null) => ({ ...span(derived, {}, "tool"), id });
    const spans = [tool("before", null), ...ids.map((id) => tool(id, { hasFragments: true })), tool("after", null)];
    const parts: ComposableSpan[][] = [];
    for await (const part of composeInParts(spans, loadTools(), { metadata: false })) parts.push(part);

    expect(parts.map((part) => part.map(({ id }) => id))).toEqual([
      ["before", "first"],
      ["second"],
      ["third"],
      ["after"],
    ]);
    const outputs = parts.flat().map(async ({ body }) => readBodyMembers(await decodeSpanBody(body)).output);
    expect(await Promise.all(outputs)).toEqual([null, ...ids.map((id) => `"result of ${id}"`), null]);
  });
});

describe("a lender that is composed with its borrower", () => {
  const answer = { role: "assistant", content: "a" };

  test("is not read again", async () => {
    const lender = { ...span(null, { output: '"Sunny."' }, "agent"), id: "lender", spanId: "span lender" };
    const loader = load([]);
    const [root, alone] = await composeSpans([span({ outputFrom: "lender" }), lender], loader, { metadata: true });
    const body = readBodyMembers(await decodeSpanBody((root as ComposableSpan).body));
    expect(body).toMatchObject({ output: '"Sunny."', metadata: '{"otel":{"ioFrom":"span lender"}}' });
    expect(alone).toEqual(lender);
    expect(loader.calls).toBe(0);
  });

  test("include those from log records, which are read once", async () => {
    const lender = { ...span({ hasFragments: true }, {}, "llm"), id: "lender", spanId: "span lender" };
    const loader = load([], { lender: [{ outputMessages: [answer] }] });
    const composed = await composeSpans([span({ outputFrom: "lender" }), lender], loader, { metadata: false });
    for (const { body } of composed) {
      expect(readBodyMembers(await decodeSpanBody(body)).output).toBe('"a"');
    }
    expect(loader.calls).toBe(1);
  });

  test("leaves the others to be read", async () => {
    const lender = { ...span(null, { input: '"asked"' }, "agent"), id: "here", spanId: "span here" };
    const there = row("there", "agent", { output: '"answered"' });
    const borrower = span({ inputFrom: "here", outputFrom: "there" });
    const [root] = await composeSpans([lender, borrower].reverse(), load([there]), { metadata: true });
    const body = readBodyMembers(await decodeSpanBody((root as ComposableSpan).body));
    expect(body).toMatchObject({ input: '"asked"', output: '"answered"' });
  });
});

describe("the calls of tools", () => {
  const call = (name: string, more = ""): string => `[{"name":"${name}","input":{"n":1.0}${more},"success":true}]`;

  test("are those of the tool rows, in order, with every literal as it was", async () => {
    const rows = [row("b", "tool", { toolCalls: call("b") }), row("a", "tool", { toolCalls: call("a") })];
    const body = await compose(span({ toolsFrom: ["a", "b"] }), load(rows));
    expect(body.toolCalls).toBe(
      '[{"name":"a","input":{"n":1.0},"success":true},{"name":"b","input":{"n":1.0},"success":true}]',
    );
  });

  test("are fifty at most", async () => {
    const rows = Array.from({ length: 60 }, (_, at) => row(`t${at}`, "tool", { toolCalls: call(`t${at}`) }));
    const body = await compose(span({ toolsFrom: rows.map(({ id }) => id) }), load(rows));
    expect(JSON.parse(body.toolCalls as string)).toHaveLength(50);
  });

  test("lose values that are too large for a list, never their names", async () => {
    const large = JSON.stringify("x".repeat(800_000));
    const rows = ["a", "b"].map((id) =>
      row(id, "tool", { toolCalls: `[{"name":"${id}","output":${large},"success":true}]` }),
    );
    const calls = JSON.parse((await compose(span({ toolsFrom: ["a", "b"] }), load(rows))).toolCalls as string);
    expect(calls[0].output).toHaveLength(800_000);
    expect(calls[1]).toEqual({ name: "b", output: "touchstone.truncated", success: true });
  });

  test("come from the models' messages when no tool has a row: results matched by id, each call once", async () => {
    const asks = (id: string, name: string) => ({
      role: "assistant",
      content: "",
      tool_calls: [{ id, name, arguments: { for: id } }],
    });
    const answers = (id: string, content: string) => ({ role: "tool", content, tool_call_id: id });
    const first = row("first", "llm", { input: conversation, output: JSON.stringify(asks("c1", "look")) });
    const second = row("second", "llm", {
      input: JSON.stringify([asks("c1", "look"), answers("c1", '{"found":1}')]),
      output: JSON.stringify([asks("c2", "think"), asks("c1", "look")]),
    });
    const third = row("third", "llm", { input: JSON.stringify([answers("c2", "done")]), output: '"ok"' });
    const body = await compose(span({ callsFrom: ["first", "second", "third"] }), load([first, second, third]));
    expect(JSON.parse(body.toolCalls as string)).toEqual([
      { name: "look", input: { for: "c1" }, output: { found: 1 }, success: true },
      { name: "think", input: { for: "c2" }, output: "done", success: true },
    ]);
  });

  test("get from log records what their rows do not say, matched by id", async () => {
    const tool = row("t", "tool", {
      toolCalls: '[{"name":"Bash","success":true,"latencyMs":5}]',
      metadata: '{"otel":{"toolCallId":"t1"}}',
    });
    const records = [
      { toolCall: { id: "t1", name: "Bash", output: "file", success: true, latencyMs: 9 } },
      { toolCall: { id: "t2", name: "Other", success: true } },
    ];
    const body = await compose(span({ toolsFrom: ["t"], hasFragments: true }), load([tool], { root: records }));
    expect(JSON.parse(body.toolCalls as string)).toEqual([
      { name: "Bash", output: "file", success: true, latencyMs: 5 },
    ]);
    const alone = await compose(span({ hasFragments: true }, {}, "agent"), load([], { root: records }));
    expect(JSON.parse(alone.toolCalls as string).map(({ name }: { name: string }) => name)).toEqual(["Bash", "Other"]);
  });
});

describe("what log records say", () => {
  const told = { hasFragments: true } as const;
  const user = { role: "user", content: "q" };
  const answer = { role: "assistant", content: "a" };

  test("is the whole conversation on a model's row and the last words on an agent's", async () => {
    const records = { root: [{ inputMessages: [user] }, { outputMessages: [answer] }] };
    const model = await compose(span(told, {}, "llm"), load([], records));
    expect(model).toMatchObject({ input: JSON.stringify([user]), output: '"a"', metadata: null });
    const agent = await compose(span(told, {}, "agent"), load([], records));
    expect(agent).toMatchObject({ input: '"q"', output: '"a"' });
    expect(JSON.parse(agent.metadata as string).otel.messages).toEqual({ input: [user], output: [answer] });
  });

  test("never replace the span's own", async () => {
    const records = {
      root: [{ input: "theirs", output: "theirs", error: "theirs", metadata: { userId: "theirs", more: 1 } }],
    };
    const own = { input: '"own"', output: '"own"', error: '"own"', metadata: '{"userId":"own","otel":{"n":1.0}}' };
    const body = await compose(span(told, own, "llm"), load([], records));
    expect(body).toMatchObject({ ...own, metadata: '{"userId":"own","more":1,"otel":{"n":1.0}}' });
  });

  test("of details the first that has a side decides it, whatever single messages there are", async () => {
    const records = { root: [{ inputMessages: [user] }, { input: [answer, user] }, { input: [user], output: "x" }] };
    const body = await compose(span(told, {}, "llm"), load([], records));
    expect(body).toMatchObject({ input: JSON.stringify([answer, user]), output: '"x"' });
  });

  test("puts a result after the call it answers, though both have the same time", async () => {
    const calls = (id: string) => ({ role: "assistant", content: "", tool_calls: [{ id, name: id, arguments: {} }] });
    const result = (id: string) => ({ role: "tool", content: id, tool_call_id: id });
    const spoken = [user, result("c2"), calls("c1"), calls("c2"), result("c1")];
    const body = await compose(
      span(told, {}, "llm"),
      load([], { root: spoken.map((message) => ({ inputMessages: [message] })) }),
    );
    expect(JSON.parse(body.input as string)).toEqual([user, calls("c1"), result("c1"), calls("c2"), result("c2")]);
  });

  test("fills the row of a tool and the call it carries", async () => {
    const records = { root: [{ toolCall: { name: "t", output: { n: 1 }, success: false, error: "broke" } }] };
    const body = await compose(span(told, { toolCalls: '[{"name":"t","success":true}]' }, "tool"), load([], records));
    expect(body.output).toBe('{"n":1}');
    expect(JSON.parse(body.toolCalls as string)).toEqual([
      { name: "t", output: { n: 1 }, success: false, error: "broke" },
    ]);
  });

  test("is lent on, from a row whose content is in logs only", async () => {
    const lender = row("lender", "llm", {}, true);
    const loader = load([lender], { lender: [{ inputMessages: [user] }, { outputMessages: [answer] }] });
    const body = await compose(span({ inputFrom: "lender", outputFrom: "lender" }), loader);
    expect(body).toMatchObject({ input: '"q"', output: '"a"' });
  });

  test("adds evaluations to those there are, adds up costs, and keeps exceptions and left-over attributes", async () => {
    const records = {
      root: [
        { evaluation: { name: "second" }, costUSD: 0.25 },
        { costUSD: 0.5, exception: { type: "E" }, attributes: { "gen_ai.request.temperature": 1, own: "theirs" } },
      ],
    };
    const own = '{"evaluations":[{"name":"first"}],"otel":{"attributes":{"own":1}}}';
    const { metadata } = await compose(span(told, { metadata: own }), load([], records));
    expect(JSON.parse(metadata as string)).toEqual({
      evaluations: [{ name: "first" }, { name: "second" }],
      reportedCostUSD: 0.75,
      otel: { attributes: { own: 1, "gen_ai.request.temperature": 1 }, exception: { type: "E" } },
    });
  });
});

describe("the metadata", () => {
  test("has the trace's shared fields if the span has none, and the number of failed descendants", async () => {
    const derived = { userId: "u", environment: "e", tags: ["t"], models: ["a", "b"], childErrors: 2 };
    const { metadata } = await compose(span(derived, { metadata: '{"userId":"own","otel":{"kind":"x"}}' }), load([]));
    expect(JSON.parse(metadata as string)).toEqual({
      userId: "own",
      environment: "e",
      tags: ["t"],
      models: ["a", "b"],
      otel: { kind: "x", childErrors: 2 },
    });
  });

  test("is left alone for a list", async () => {
    const body = await compose(span({ childErrors: 2 }, { metadata: '{"a":1}' }), load([]), false);
    expect(body.metadata).toBe('{"a":1}');
  });
});
