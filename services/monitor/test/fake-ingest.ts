import { type HumanScores, internalRoutes, type JudgedTrace, type ScriptTrace } from "@touchstone/contracts";
import { AppError, createHttpServer, createMetrics, systemClock, uuidv7 } from "@touchstone/service-kit";
import { rootSecret } from "./start-monitor.ts";
import { quiet } from "./test-store.ts";

/** An ingest that knows the agents and traces a test tells it. */
export interface FakeIngest {
  address: string;
  addAgent(projectId: string, name: string, traffic?: { traceCount: number; lastSeenAt: string }): string;
  agentNames(projectId: string): string[];
  /** Records a trace of a project; answers its id. */
  addTrace(projectId: string, trace: Partial<JudgedTrace>): string;
  /** What models cost, in every project. */
  modelCosts: { model: string; cost: number }[];
  /** What agents cost, in every project. */
  agentCosts: { agentId: string | null; cost: number }[];
  /** The scores that people gave to a project's traces: a page for each request. */
  humanScores: Map<string, HumanScores["scores"][]>;
  /** How often traces were read. */
  reads(): number;
  /** While true, it does not answer. */
  isUnavailable: boolean;
  /** Its answer to every request; null: as usual. */
  failure: Error | null;
  stop(): Promise<void>;
}

const emptyTrace: Omit<JudgedTrace, "traceId"> = {
  name: "weather-agent",
  agentId: null,
  input: "Where is my refund?",
  output: "It is on its way.",
  error: null,
  model: null,
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
  trajectory: { steps: [], omittedSteps: 0, toolCalls: [], toolDefinitions: [] },
  retrieval: null,
};

function showToScripts({ trajectory: _, retrieval: __, ...trace }: JudgedTrace): ScriptTrace {
  const { traceId, name, input, output, error, model } = trace;
  const span = {
    ...{ span_id: traceId, parent_span_id: null, name, type: "agent", input, output, error, model, latency_ms: null },
    ...{ input_tokens: null, output_tokens: null, tool_calls: null, metadata: null },
    started_at: "2026-01-02T03:04:05.678Z",
  };
  return { ...trace, sessionId: null, metadata: null, spans: [span] };
}

export async function startFakeIngest(): Promise<FakeIngest> {
  const agents: {
    projectId: string;
    agent: { id: string; name: string; createdAt: string; traceCount: number; lastSeenAt: string | null };
  }[] = [];
  const traces = new Map<string, JudgedTrace>();
  let reads = 0;
  const agentsOf = (projectId: string) =>
    agents
      .filter((each) => each.projectId === projectId)
      .map(({ agent }) => agent)
      .toSorted((one, other) => one.name.localeCompare(other.name));
  const requireThere = (): void => {
    if (fake.failure !== null) throw fake.failure;
    if (fake.isUnavailable) throw new AppError("service_unavailable", "away");
  };
  const http = createHttpServer({
    service: "ingest",
    routes: [
      {
        route: internalRoutes.readTraceForJudging,
        async handle(call) {
          const { projectId, traceId } = internalRoutes.readTraceForJudging.body.parse(await call.json());
          requireThere();
          reads += 1;
          return { status: 200, body: { trace: traces.get(`${projectId} ${traceId}`) ?? null } };
        },
      },
      {
        route: internalRoutes.readTraceForScripts,
        async handle(call) {
          const { projectId, traceId } = internalRoutes.readTraceForScripts.body.parse(await call.json());
          requireThere();
          const trace = traces.get(`${projectId} ${traceId}`);
          return { status: 200, body: { trace: trace === undefined ? null : showToScripts(trace) } };
        },
      },
      {
        route: internalRoutes.findAgents,
        async handle(call) {
          const { projectId, ids, after, limit } = internalRoutes.findAgents.body.parse(await call.json());
          requireThere();
          const all = agentsOf(projectId).filter(({ id }) => ids?.includes(id) ?? true);
          const start = all.findIndex(({ id }) => id === after) + 1;
          const agents = all.slice(start, start + (limit ?? all.length));
          const last = agents.at(-1)?.id;
          const isWhole = start + agents.length === all.length || last === undefined;
          return { status: 200, body: { agents, ...(!isWhole && { hasNextPage: true as const, nextCursor: last }) } };
        },
      },
      {
        route: internalRoutes.readHumanScores,
        async handle(call) {
          const { projectId, cursor } = internalRoutes.readHumanScores.body.parse(await call.json());
          requireThere();
          const pages = fake.humanScores.get(projectId) ?? [];
          const page = Number(cursor ?? 0);
          const nextCursor = page + 1 < pages.length ? String(page + 1) : null;
          return { status: 200, body: { scores: pages[page] ?? [], nextCursor } };
        },
      },
      {
        route: internalRoutes.readModelCosts,
        async handle(call) {
          internalRoutes.readModelCosts.body.parse(await call.json());
          requireThere();
          return { status: 200, body: { costs: fake.modelCosts } };
        },
      },
      {
        route: internalRoutes.readAgentCosts,
        async handle(call) {
          internalRoutes.readAgentCosts.body.parse(await call.json());
          requireThere();
          return { status: 200, body: { costs: fake.agentCosts } };
        },
      },
      {
        route: internalRoutes.resolveAgent,
        async handle(call) {
          const { projectId, idOrName, register } = internalRoutes.resolveAgent.body.parse(await call.json());
          const find = () => agentsOf(projectId).find(({ id, name }) => id === idOrName || name === idOrName);
          if (find() === undefined && register) fake.addAgent(projectId, idOrName);
          const found = find();
          const agent = found && { id: found.id, name: found.name, createdAt: found.createdAt };
          return { status: 200, body: { agent: agent ?? null } };
        },
      },
    ],
    rootSecret,
    clock: systemClock,
    logger: quiet,
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  const fake: FakeIngest = {
    address: await http.listen({ host: "127.0.0.1", port: 0 }),
    addAgent(projectId, name, traffic) {
      const id = uuidv7(Date.now());
      const createdAt = "2026-01-01T00:00:00.000Z";
      agents.push({ projectId, agent: { id, name, createdAt, traceCount: 0, lastSeenAt: null, ...traffic } });
      return id;
    },
    agentNames: (projectId) => agentsOf(projectId).map(({ name }) => name),
    addTrace(projectId, trace) {
      const traceId = trace.traceId ?? uuidv7(Date.now());
      traces.set(`${projectId} ${traceId}`, { ...emptyTrace, ...trace, traceId });
      return traceId;
    },
    humanScores: new Map(),
    modelCosts: [],
    agentCosts: [],
    reads: () => reads,
    isUnavailable: false,
    failure: null,
    stop: () => http.stop(),
  };
  return fake;
}
