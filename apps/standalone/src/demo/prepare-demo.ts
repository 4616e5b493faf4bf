import { knowledgeOfDemo } from "./judge/knowledge-of-demo.ts";
import { demoJudgeModel, startDemoJudge } from "./judge/start-demo-judge.ts";
import { loadDemo } from "./load-demo.ts";
import { planTraffic } from "./traffic/plan-traffic.ts";
import { startReceiver } from "./watching/start-receiver.ts";

/** How much there is of what costs time. */
export interface DemoScale {
  traces: number;
  /** Of the two large traces. */
  largeSpans: readonly number[];
}

const wholeDemo: DemoScale = { traces: 2_400, largeSpans: [10_500, 3_000] };

/** The sample project before the services start, and how it is loaded once they have. */
export interface PreparedDemo {
  /** What the services start with. */
  environment: NodeJS.ProcessEnv;
  load: (target: { address: string; apiKey: string }) => Promise<void>;
}

/**
 * Plans the sample project. Where no judge is configured a scripted one is started, and the services are told to ask it.
 */
export async function prepareDemo(given: NodeJS.ProcessEnv, scale: DemoScale = wholeDemo): Promise<PreparedDemo> {
  const visits = planTraffic(scale.traces);
  const receiver = await startReceiver();
  const environment = hasJudge(given) ? given : { ...given, ...(await startJudge(visits)) };
  return {
    environment,
    async load(target) {
      const demo = await loadDemo({
        ...target,
        visits,
        largeSpans: scale.largeSpans,
        receiver,
        onProgress: showProgress,
      });
      console.log(
        demo.isNew
          ? `The sample project is loaded: ${demo.traces} traces.`
          : `The sample project was loaded before; nothing was added to its ${demo.traces} traces.`,
      );
    },
  };
}

function hasJudge(environment: NodeJS.ProcessEnv): boolean {
  const names = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"];
  return names.some((name) => (environment[name] ?? "") !== "");
}

async function startJudge(visits: Parameters<typeof knowledgeOfDemo>[0]): Promise<NodeJS.ProcessEnv> {
  const judge = await startDemoJudge(knowledgeOfDemo(visits));
  return { OPENAI_BASE_URL: judge.baseUrl, SERVICE_DEFAULT_JUDGE_MODEL: demoJudgeModel };
}

function showProgress(line: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[KLoading the sample project: ${line}`);
  else console.log(`Loading the sample project: ${line}`);
}
