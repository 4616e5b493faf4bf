import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { readFixture } from "./otlp/corpus.ts";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

interface Convention {
  file: string;
  expect: { kinds?: string[]; root?: Record<string, unknown> };
}

const { files }: { files: Convention[] } = JSON.parse(readFixture("_conventions/manifest.json").toString());

/** The manifest names the unwrapped argument by where it comes from. */
const spelled: Record<string, unknown> = { args: "What is the weather in Paris?" };

describe.each(files)("the convention of $file", ({ file, expect: expected }) => {
  test("gives its root, as a client reads it, all that the manifest expects", async () => {
    const { root, agent } = await readRoot(`_conventions/${file}`);
    const { agentName, toolCalls, kind, ...fields } = expected.root ?? {};
    for (const [name, value] of Object.entries(fields))
      expect(root[name], name).toEqual(spelled[String(value)] ?? value);
    if (kind !== undefined) expect(root.spanKind).toBe(kind);
    if (agentName !== undefined) expect(agent).toBe(agentName);
    if (toolCalls !== undefined) expect(root.toolCalls.map((call: { name: string }) => call.name)).toEqual(toolCalls);
  });
});

describe("the reads that the manifest of synthetic exports expects", () => {
  test("children without their root are no traces; the root, listed once, has their fields, including late ones", async () => {
    const project = open();
    await project.send("_synthetic/60-late-1-children.json");
    expect(await project.listRoots()).toEqual([]);

    await project.send("_synthetic/61-late-2-root.json");
    const [root, ...others] = await project.listRoots();
    expect(others).toEqual([]);
    expect(root).toMatchObject({ name: "late-agent", inputTokens: 100, outputTokens: 10, toolCalls: [{ name: "t0" }] });

    await project.send("_synthetic/62-late-3-child-after-root.json");
    const [later] = await project.listRoots();
    expect(later).toMatchObject({ _id: root?._id, inputTokens: 100, outputTokens: 10 });
    expect(later?.toolCalls.map(({ name }) => name)).toEqual(["t0", "t1"]);
  });

  test("a circle of parents is broken at its earliest span, and both are in their session", async () => {
    const project = open();
    await project.send("_synthetic/29-parent-cycle.json");
    const spans = await project.readSession("5b8efff798038103d269b633813fc60c");
    expect(spans.map(({ spanId }) => spanId)).toEqual(["eee19b7ec3c1b00a", "eee19b7ec3c1b00b"]);
    expect((await project.listRoots()).map(({ spanId }) => spanId)).toEqual(["eee19b7ec3c1b00a"]);
  });

  test("of sixty tools the first fifty by start are shown, and all sixty-one spans are stored", async () => {
    const project = open();
    await project.send("_synthetic/64-sixty-tools.json");
    const [root] = await project.listRoots();
    const spans = await project.readSession(root?.sessionId ?? "");
    const tools = spans.filter(({ spanKind }) => spanKind === "tool");
    expect(spans).toHaveLength(61);
    expect(root?.toolCalls.map(({ name }) => name)).toEqual(tools.slice(0, 50).map((span) => span.toolCalls[0]?.name));
  });

  test("a span sent twice is stored once, the first of them, and a placeholder not at all", async () => {
    const project = open();
    await project.send("_synthetic/30-duplicate-in-batch.json");
    await project.send("_synthetic/65-placeholder-then-final.json");
    expect((await project.listRoots()).map(({ name }) => name)).toEqual(["first"]);
  });
});

interface Shown {
  _id: string;
  agentId: string;
  name: string;
  spanId: string;
  sessionId: string;
  spanKind: string;
  toolCalls: { name: string }[];
}

/** A separate project, as its client sees it. */
function open() {
  const projectId = uuidv7(Date.now());
  const read = async (path: string) => (await ingest.call(projectId, "GET", `/api/v1/${path}`)).json;
  return {
    read,
    async send(file: string): Promise<void> {
      const sent = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body: readFixture(file) });
      expect(sent).toMatchObject({ status: 200, json: {} });
    },
    listRoots: async (): Promise<Shown[]> => (await read("ingest/traces")).traces,
    readSession: async (id: string): Promise<Shown[]> => (await read(`ingest/sessions/${id}/spans`)).spans,
  };
}

async function readRoot(file: string) {
  const project = open();
  await project.send(file);
  const [listed, ...others] = await project.listRoots();
  expect(others).toEqual([]);
  const root = await project.read(`ingest/traces/${listed?._id}`);
  const { agent } = await project.read(`agents/${root.agentId}`);
  return { root, agent: agent.name };
}
