import { expect, onTestFinished, test } from "vitest";
import { createLogger, currentTraceparent, startTracing, traced, untraced } from "../src/index.ts";

test("work that outlives its request is no step of its trace", async () => {
  const logger = createLogger({ service: "gateway", level: "silent" });
  // Nothing is exported within the time of this test.
  const tracing = await startTracing({ endpoint: "http://127.0.0.1:9", headers: null, ratio: 1 }, logger);
  onTestFinished(() => tracing.stop());
  const later = () => new Promise((resolve) => setTimeout(() => resolve(currentTraceparent()), 1));
  await traced({ service: "gateway", name: "GET /stream", kind: "server", parent: "new" }, async () => {
    expect(await later()).toMatch(/^00-/);
    expect(await untraced(later)).toBeUndefined();
  });
});
