import { createHash } from "node:crypto";

/** A row as Langfuse shows it. */
export type Row = Record<string, unknown>;

/** A project of Langfuse as its API shows it. Rows may be changed. */
export interface LangfuseProject {
  /** Version 3 only. */
  traces: Row[];
  observations: Row[];
  scores: Row[];
  datasets: Row[];
  items: Row[];
  runs: (Row & { datasetRunItems: Row[] })[];
  prompts: Row[];
  media: Map<string, Buffer>;
}

const startMs = Date.UTC(2026, 0, 5);

/** A project with so many observations, ten in a trace, a minute apart. */
export function makeLangfuseProject(major: 3 | 4, count: number): LangfuseProject {
  const ids = idsOf(major);
  const [content, ofItem] = [Buffer.from("a picture"), Buffer.from(`a picture of an item of version ${major}`)];
  const [mediaId, itemMediaId] = [mediaIdOf(content), mediaIdOf(ofItem)];
  const observations = Array.from({ length: count }, (_, index) =>
    index % 10 === 0 ? makeRoot(ids, index, mediaId) : makeGeneration(ids, index),
  );
  const traces = Array.from({ length: Math.ceil(count / 10) }, (_, trace) => makeTrace(ids, trace));
  const { dataset, items, run } = makeDataset(ids, itemMediaId);
  const scores = [...traces.flatMap((_, trace) => makeScores(ids, trace)), makeRunScore(ids, run.id)];
  const media = new Map([
    [mediaId, content],
    [itemMediaId, ofItem],
  ]);
  return { traces, observations, scores, datasets: [dataset], items, runs: [run], prompts: makePrompts(ids), media };
}

const mediaIdOf = (content: Buffer): string => createHash("sha256").update(content).digest("base64url").slice(0, 22);
const referenceTo = (mediaId: string): string => `@@@langfuseMedia:type=image/png|id=${mediaId}|source=bytes@@@`;

interface Ids {
  major: 3 | 4;
  digits(text: string): string;
  trace(trace: number): string;
  observation(index: number): string;
}

/** Version 4 has the ids of OpenTelemetry, version 3 has UUIDs. */
function idsOf(major: 3 | 4): Ids {
  const digits = (text: string) => createHash("md5").update(`${major} ${text}`).digest("hex");
  const uuid = (text: string) => digits(text).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const [long, short] = major === 4 ? [digits, (text: string) => digits(text).slice(0, 16)] : [uuid, uuid];
  return {
    major,
    digits,
    trace: (trace) => long(`trace ${trace}`),
    observation: (index) => short(`observation ${index}`),
  };
}

const timeOf = (index: number, afterMs = 0): string => new Date(startMs + index * 60_000 + afterMs).toISOString();

const ofTrace = (trace: number): Row => ({
  userId: `user-${trace % 7}`,
  sessionId: null,
  tags: ["imported"],
  release: "r1",
});

function makeObservation(ids: Ids, index: number): Row {
  const trace = Math.floor(index / 10);
  const shared = { id: ids.observation(index), traceId: ids.trace(trace), environment: "default", level: "DEFAULT" };
  const times = { startTime: timeOf(index), endTime: timeOf(index, 1_500), updatedAt: timeOf(index) };
  return {
    ...shared,
    ...times,
    statusMessage: null,
    metadata: { index, ...(index === 7 && { long: "m".repeat(500) }) },
  };
}

function makeRoot(ids: Ids, index: number, mediaId: string): Row {
  const trace = index / 10;
  const io = { input: trace === 0 ? `See ${referenceTo(mediaId)}` : `Question ${trace}?`, output: `Answer ${trace}.` };
  const named = { traceName: `trace ${trace}`, isRootObservation: true, ...ofTrace(trace) };
  const span = { ...makeObservation(ids, index), parentObservationId: null, type: "SPAN", name: "agent", ...io };
  return { ...span, ...(ids.major === 4 && named) };
}

function makeGeneration(ids: Ids, index: number): Row {
  const [input, cached, output] = [10 + (index % 3), index % 5, 0.0002 * (index % 9)];
  return {
    ...makeObservation(ids, index),
    ...{ parentObservationId: ids.observation(index - (index % 10)), type: "GENERATION", name: "llm" },
    ...{ input: JSON.stringify([{ role: "user", content: `Step ${index}` }]), output: `Done ${index}` },
    usageDetails: { input, output: 5, cache_read_input_tokens: cached, total: input + 5 + cached },
    costDetails: { input: 0.001, output, total: 0.001 + output },
    ...{ model: "gpt-4o", modelParameters: { temperature: 0.5 }, promptName: null, promptVersion: null },
    ...(index === 3 && { bookmarked: true }),
  };
}

function makeTrace(ids: Ids, trace: number): Row {
  const io = { input: `Question ${trace}?`, output: `Answer ${trace}.` };
  const named = { id: ids.trace(trace), timestamp: timeOf(trace * 10), name: `trace ${trace}`, version: null };
  const more = { environment: "default", public: trace === 1, metadata: { trace }, htmlPath: `/trace/${trace}` };
  return { ...named, ...io, ...ofTrace(trace), ...more };
}

function makeScores(ids: Ids, trace: number): Row[] {
  const base = { traceId: ids.trace(trace), timestamp: timeOf(trace * 10), environment: "default", metadata: {} };
  const helpful = {
    id: ids.digits(`helpful ${trace}`),
    name: "helpful",
    value: (trace % 10) / 10,
    dataType: "NUMERIC",
  };
  if (trace % 3 !== 0) return [{ ...base, ...helpful, source: "EVAL" }];
  const value = trace % 2;
  const ok = { id: ids.digits(`ok ${trace}`), name: "ok", value, dataType: "BOOLEAN", source: "ANNOTATION" };
  const target = { stringValue: value === 1 ? "True" : "False", observationId: ids.observation(trace * 10 + 1) };
  return [
    { ...base, ...helpful, source: "EVAL" },
    { ...base, ...ok, ...target },
  ];
}

function makeRunScore(ids: Ids, datasetRunId: string): Row {
  const score = { id: ids.digits("run score"), name: "run quality", value: 0.75, dataType: "NUMERIC", source: "API" };
  return { ...score, datasetRunId, timestamp: timeOf(0), environment: "default", comment: "good", metadata: {} };
}

function makeDataset(ids: Ids, mediaId: string) {
  const dataset = {
    id: "dataset-1",
    name: `weather / ${ids.major}`,
    description: "Questions",
    metadata: { owner: "me" },
  };
  const ofDataset = { datasetId: dataset.id, datasetName: dataset.name };
  const items = Array.from({ length: 5 }, (_, index) => ({
    ...{
      id: `item-${ids.major}-${index}`,
      ...ofDataset,
      status: "ACTIVE",
      sourceTraceId: null,
      sourceObservationId: null,
    },
    ...{ input: { q: `Question ${index}?`, n: 1.5 }, expectedOutput: `Answer ${index}.`, metadata: null },
    ...(index === 2 && { status: "ARCHIVED" }),
    ...(index === 3 && { input: null }),
    ...(index === 4 && {
      expectedOutput: referenceTo(mediaId),
      mediaReferences: [{ field: "expectedOutput", referenceString: referenceTo(mediaId), jsonPath: "$" }],
    }),
  }));
  const datasetRunItems = items.map(({ id }, index) => ({
    ...{ id: `run-item-${index}`, datasetItemId: id, traceId: ids.trace(index) },
    ...{ observationId: ids.observation(index * 10), createdAt: timeOf(0) },
  }));
  const named = { id: "run-1", name: `run of version ${ids.major}`, description: "A run", metadata: { model: "a" } };
  return { dataset, items, run: { ...named, ...ofDataset, datasetRunItems } };
}

function makePrompts({ major }: Ids): Row[] {
  const greeting = { name: `greeting ${major}`, type: "text", config: { temperature: 0.5 }, tags: ["t"] };
  const messages = [{ role: "system", content: "Be kind." }];
  return [
    { ...greeting, version: 1, prompt: "Hello {{name}}", labels: [] },
    { ...greeting, version: 2, prompt: "Hello {{name}}", labels: ["staging"] },
    { ...greeting, version: 3, prompt: "Hi {{name}}", labels: ["production", "latest"] },
    { name: `chat/${major}`, type: "chat", version: 1, config: {}, tags: [], prompt: messages, labels: ["latest"] },
  ];
}
