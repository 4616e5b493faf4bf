import { chooseProject } from "./choose-project.ts";
import { knowledgeOfDemo } from "./judge/knowledge-of-demo.ts";
import { demoJudgeModel, startDemoJudge } from "./judge/start-demo-judge.ts";
import { loadDemo } from "./load-demo.ts";
import { planTraffic } from "./traffic/plan-traffic.ts";
import { startReceiver } from "./watching/start-receiver.ts";

/** The amount of data that takes time to load. */
export interface DemoScale {
  traces: number;
  /** The number of spans of the large traces. */
  largeSpans: readonly number[];
}

const wholeDemo: DemoScale = { traces: 2_200, largeSpans: [10_500, 3_000] };

/** The sample project before the services start, and its load after that. */
export interface PreparedDemo {
  /** Additional environment of the services. */
  environment: NodeJS.ProcessEnv;
  /** `apiKey` is the default project's. Returns the lines to print and the filled project. */
  load(target: { address: string; apiKey: string; onProgress: (line: string) => void }): Promise<LoadedDemo>;
}

export interface LoadedDemo {
  summary: string;
  apiKey: string;
  /** Null for the default project. */
  projectId: string | null;
}

/**
 * Plans the sample project and starts its helpers on loopback for as long as the process runs: a receiver of webhooks,
 * and a scripted judge, which the services use if no model is configured.
 */
export async function prepareDemo(given: NodeJS.ProcessEnv, scale: DemoScale = wholeDemo): Promise<PreparedDemo> {
  const visits = planTraffic(scale.traces);
  const receiver = await startReceiver();
  const { baseUrl } = await startDemoJudge(knowledgeOfDemo(visits));
  const isConfigured = hasModel(given);
  const scripted = { OPENAI_BASE_URL: baseUrl, SERVICE_DEFAULT_JUDGE_MODEL: demoJudgeModel };
  return {
    environment: isConfigured ? given : { ...given, ...scripted },
    async load({ address, apiKey, onProgress }) {
      const project = await chooseProject({ address, apiKey });
      const borrowedJudge = isConfigured ? baseUrl : null;
      const { largeSpans } = scale;
      const { isNew, traces } = await loadDemo({
        address,
        apiKey: project.apiKey,
        visits,
        largeSpans,
        receiver,
        borrowedJudge,
        onProgress,
      });
      const summary = isNew
        ? `The sample project is loaded: ${traces} traces, rated by the script ${demoJudgeModel}.`
        : `The sample project was loaded before; nothing was added to its ${traces} traces.`;
      return { summary, ...project };
    },
  };
}

function hasModel(environment: NodeJS.ProcessEnv): boolean {
  const names = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"];
  return names.some((name) => (environment[name] ?? "") !== "");
}
