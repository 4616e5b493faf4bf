import type { DemoClient } from "../demo-client.ts";
import { demoJudgeModel } from "./start-demo-judge.ts";

const modelsPath = "/agent-monitoring/portability/models";
const platformModelPath = "/agent-monitoring/settings/platform-model";

/**
 * Switches the project's judges to the scripted judge while `work` is done, and back afterwards: where a model is
 * configured, loading a sample must not cost money.
 */
export async function borrowDemoJudge(client: DemoClient, baseUrl: string, work: () => Promise<void>): Promise<void> {
  const prices = { pricePerMInputTokens: 0, pricePerMOutputTokens: 0 };
  const model = { provider: "custom", label: "Demo judge (a script)", baseUrl, ...prices };
  const { models } = await client.call<{ models: { id: string }[] }>("GET", modelsPath);
  const isKnown = models.some(({ id }) => id === demoJudgeModel);
  if (isKnown) await client.call("PUT", `${modelsPath}/${demoJudgeModel}`, model);
  else await client.call("POST", modelsPath, { id: demoJudgeModel, ...model });
  const { platformModel } = await client.call<{ platformModel: string | null }>("GET", "/agent-monitoring/settings");
  await client.call("PUT", platformModelPath, { model: demoJudgeModel });
  try {
    await work();
  } finally {
    // A load that was interrupted left the scripted judge behind, which ended with it.
    const before = platformModel === demoJudgeModel ? null : platformModel;
    await client.call("PUT", platformModelPath, { model: before });
  }
}
