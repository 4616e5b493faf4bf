import { findFreePort, startThrowAwayNats } from "@touchstone/embedded-servers";
import { startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { withBenchPostgres } from "./bench-servers.ts";
import { type SingleService, startSingleService } from "./single-service.ts";

type ScriptedLlm = Awaited<ReturnType<typeof startScriptedLlm>>;

/** The processes for judging: eval-runs and a judge, and a provider in the driver's process. */
export interface JudgingSystem {
  evalRuns: SingleService;
  judge: SingleService;
  llm: ScriptedLlm;
}

/** On an empty database; everything is deleted afterwards. */
export async function withJudgingSystem(work: (system: JudgingSystem) => Promise<void>): Promise<void> {
  await withBenchPostgres(async (databaseUrl) => {
    await using cleanups = new AsyncDisposableStack();
    const llm = await startScriptedLlm();
    cleanups.defer(() => llm.stop());
    const nats = await startThrowAwayNats();
    cleanups.defer(() => nats.stop());
    const start = async (name: "eval-runs" | "judge", settings: Record<string, string>): Promise<SingleService> => {
      const service = await startSingleService({
        name,
        port: await findFreePort(),
        databaseUrl,
        natsUrl: nats.url,
        settings,
      });
      cleanups.defer(() => service.stop());
      return service;
    };
    const judge = await start("judge", {
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-bench",
      SERVICE_JUDGE_CONCURRENCY: "80",
    });
    // The measured requests do not use ingest.
    const evalRuns = await start("eval-runs", { SERVICE_INGEST_URL: "http://127.0.0.1:1" });
    await work({ evalRuns, judge, llm });
  });
}
