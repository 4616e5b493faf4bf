import { z } from "zod";

/** A model as clients that choose a judge read it (completions 7.5). Costs are USD per million tokens. */
export const judgeModel = z.object({
  name: z.string().describe("The exact model string"),
  display: z.string(),
  provider: z.enum(["openai", "anthropic", "gemini", "custom"]),
  inputCost: z.number().nonnegative().describe("USD per million tokens"),
  outputCost: z.number().nonnegative().describe("USD per million tokens"),
});

export const judgeModelList = z.object({ models: z.array(judgeModel) });

/** The catalogue as the dashboard reads it (completions 7.5). */
export const modelCatalogue = z.object({
  models: z.array(z.object({ id: z.string(), label: z.string(), source: z.enum(["builtin", "custom"]) })),
  openrouterConfigured: z.literal(false),
});
