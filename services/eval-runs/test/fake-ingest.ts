import { internalRoutes, type JudgedTrace, type RecordedTurn } from "@touchstone/contracts";
import { createHttpServer, createMetrics, systemClock, uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import { quiet, rootSecret } from "./start-eval-runs.ts";

/** An ingest that knows the turns and traces a test tells it. */
export interface FakeIngest {
  address: string;
  /** The turns it was asked for. */
  asked: unknown[];
  turns: RecordedTurn[];
  /** The traces it was asked for. */
  askedTraces: z.output<typeof internalRoutes.readTraceForJudging.body>[];
  /** Records a trace of a project; answers its id. */
  record(projectId: string, trace: Partial<JudgedTrace>): string;
  /** Gives a recorded trace its output. */
  complete(projectId: string, traceId: string, output: string): void;
  /** From now on a trace is answered after this, or with a failure where it rejects. */
  delayTraces(until: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

/** A trajectory that says nothing. */
export const noTrajectory = { steps: [], omittedSteps: 0, toolCalls: [], toolDefinitions: [] };

const emptyTrace: Omit<JudgedTrace, "traceId"> = {
  name: "agent",
  agentId: null,
  input: "When does my order arrive?",
  output: "Tuesday.",
  error: null,
  model: null,
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
  trajectory: noTrajectory,
  retrieval: null,
};

export async function startFakeIngest(): Promise<FakeIngest> {
  const asked: unknown[] = [];
  const askedTraces: FakeIngest["askedTraces"] = [];
  const traces = new Map<string, JudgedTrace>();
  let wait: () => Promise<unknown> = async () => undefined;
  const http = createHttpServer({
    service: "ingest",
    routes: [
      {
        route: internalRoutes.readTurns,
        async handle(call) {
          asked.push(internalRoutes.readTurns.body.parse(await call.json()));
          return { status: 200, body: { turns: fake.turns } };
        },
      },
      {
        route: internalRoutes.readTraceForJudging,
        async handle(call) {
          const query = internalRoutes.readTraceForJudging.body.parse(await call.json());
          askedTraces.push(query);
          await wait();
          const trace = traces.get(`${query.projectId} ${query.traceId}`) ?? null;
          const isWhole = trace === null || query.withContent;
          return { status: 200, body: { trace: isWhole ? trace : { ...trace, input: null, output: null } } };
        },
      },
      {
        route: internalRoutes.readTraceOutputs,
        async handle(call) {
          const { projectId, named } = internalRoutes.readTraceOutputs.body.parse(await call.json());
          await wait();
          const found = named.map(({ traceId }) => traces.get(`${projectId} ${traceId}`));
          // One at a time, as for large outputs.
          const outputs = found.slice(0, 1).map((trace) => (trace?.output ? trace : null));
          return { status: 200, body: { outputs } };
        },
      },
    ],
    rootSecret,
    clock: systemClock,
    logger: quiet,
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
    drainMs: 100,
  });
  const fake: FakeIngest = {
    address: await http.listen({ host: "127.0.0.1", port: 0 }),
    asked,
    turns: [],
    askedTraces,
    record(projectId, trace) {
      const traceId = uuidv7(Date.now());
      traces.set(`${projectId} ${traceId}`, { ...emptyTrace, ...trace, traceId });
      return traceId;
    },
    complete(projectId, traceId, output) {
      const key = `${projectId} ${traceId}`;
      traces.set(key, { ...(traces.get(key) as JudgedTrace), output });
    },
    delayTraces(until) {
      wait = until;
    },
    stop: () => http.stop(),
  };
  return fake;
}
