import { type LlmScript, type ScriptedLlm, startScriptedLlm, useStarted } from "@touchstone/testkit";
import { type ApiClient, createClient } from "./client.ts";
import { type CombinedSystem, startCombined } from "./start-combined.ts";

interface UsedSystem {
  system: CombinedSystem;
  /** A client of its default project. */
  client: ApiClient;
}

/** A system in one process for the tests of the file that calls this. */
export const useCombined = (settings: Record<string, string> = {}): UsedSystem => useSystem(() => settings);

/** The same, with a judge whose model answers by a script. */
export function useJudged(script: LlmScript): UsedSystem & { llm: ScriptedLlm } {
  const llm = useStarted(
    async () => {
      const started = await startScriptedLlm();
      started.answerWith(script);
      return started;
    },
    (started) => started.stop(),
  );
  const judge = () => ({ OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted", SERVICE_JUDGE_RETRIES: "0" });
  return { llm, ...useSystem(judge) };
}

/** `settings` is called at the start. */
function useSystem(settings: () => Record<string, string>): UsedSystem {
  const system = useStarted(
    () => startCombined({ settings: settings() }),
    (started) => started.stop(),
  );
  return { system, client: createClient(system) };
}
