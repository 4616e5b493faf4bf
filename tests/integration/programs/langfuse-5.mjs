/* A program for Langfuse: a prompt, a trace with an image, and an experiment. Its address and keys come from the environment. */
import { LangfuseClient } from "@langfuse/client";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";

const processor = new LangfuseSpanProcessor();
setLangfuseTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
const langfuse = new LangfuseClient();

await langfuse.prompt.create({
  name: "capital",
  type: "text",
  prompt: "Name the capital of {{country}}.",
  labels: ["production"],
});
const prompt = await langfuse.prompt.get("capital");
const url =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const agent = startObservation("capital-agent", { input: { country: "France" } });
const input = [
  {
    role: "user",
    content: [
      { type: "text", text: prompt.compile({ country: "France" }) },
      { type: "image_url", image_url: { url } },
    ],
  },
];
const call = agent.startObservation("llm", { model: "gpt-4o-mini", input, prompt }, { asType: "generation" });
call.update({ output: "Paris", usageDetails: { input: 12, output: 5 } }).end();
agent.update({ output: "Paris" }).end();

await langfuse.api.datasets.create({ name: "capitals" });
for (const [country, expectedOutput] of Object.entries({ France: "Paris", Italy: "Rome", Spain: "Madrid" })) {
  await langfuse.api.datasetItems.create({
    datasetName: "capitals",
    id: `capital-${country}`,
    input: { country },
    expectedOutput,
  });
}
const dataset = await langfuse.dataset.get("capitals");
const { datasetRunId } = await dataset.runExperiment({
  name: "try",
  task: async ({ expectedOutput }) => (process.argv[2] === "bad" ? "I do not know" : expectedOutput),
  evaluators: [async ({ output, expectedOutput }) => ({ name: "exact", value: output === expectedOutput ? 1 : 0 })],
});
// Spans and scores are sent by themselves, later.
await processor.forceFlush();
await langfuse.flush();
process.stdout.write(`${datasetRunId}\n`);
