import { readFile } from "node:fs/promises";
import path from "node:path";
import type { DemoClient } from "../demo-client.ts";

const capturesFolder = path.resolve(import.meta.dirname, "../../../../../fixtures/otlp");

/** Recorded agent runs of three SDKs, with tools and retrieval. */
const captures = [
  "vercel-ai-v7-genai/01.traces.bin",
  "openinference-langchain/01.traces.bin",
  "langfuse/01.traces.json",
];

/** Sends each recorded request body unchanged. */
export async function sendCaptures(client: DemoClient): Promise<void> {
  for (const name of captures) {
    await client.send("/otel/v1/traces", await readFile(path.join(capturesFolder, name)), {
      "content-type": name.endsWith(".json") ? "application/json" : "application/x-protobuf",
    });
  }
}
