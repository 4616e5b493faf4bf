import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { createMetrics, readBuild, showBuild } from "../src/index.ts";

test("a process of the image shows the version and the revision that the image was built from", async () => {
  const metrics = createMetrics();
  const environment = { TOUCHSTONE_VERSION: "1.2.3", TOUCHSTONE_REVISION: "abc" };
  showBuild({ service: "ingest", metrics, environment });

  expect(await metrics.metrics()).toMatch(/^service_build_info\{service="ingest",version="1.2.3",revision="abc"\} 1$/m);
});

test("outside of the image it is the version of the sources", () => {
  expect(readBuild({})).toEqual({ version: manifest.version, revision: "unknown" });
});
