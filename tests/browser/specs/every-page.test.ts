import { mkdir } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { type DemoProject, readDemoProject } from "../src/demo-project.ts";
import { openPage } from "../src/open-page.ts";
import { inspect } from "../src/watch-page.ts";

const screens = path.resolve(import.meta.dirname, "../../../.cache/screens");

/** Every page of a project; a page for one object shows one of the sample project. */
const pages: Record<string, (demo: DemoProject) => string> = {
  overview: () => "/",
  traces: () => "/traces",
  trace: ({ traceId }) => `/traces/${traceId}`,
  sessions: () => "/sessions",
  session: ({ sessionId }) => `/sessions/${encodeURIComponent(sessionId)}`,
  inbox: () => "/inbox",
  datasets: () => "/datasets",
  dataset: ({ datasetId }) => `/datasets/${datasetId}`,
  runs: () => "/runs",
  run: ({ runIds }) => `/runs/${runIds[1]}`,
  compare: ({ runIds }) => `/runs/compare?baseline=${runIds[0]}&candidate=${runIds[1]}`,
  gates: () => "/gates",
  "ci-run": ({ ciRunId }) => `/gates/ci/${ciRunId}`,
  judges: () => "/judges",
  judge: ({ judgeId }) => `/judges/${judgeId}`,
  agreement: ({ judgeId }) => `/judges/${judgeId}/agreement`,
  prompts: () => "/prompts",
  prompt: ({ promptId }) => `/prompts/${promptId}`,
  "prompt-changes": ({ promptId }) => `/prompts/${promptId}?changes=true`,
  agents: () => "/agents",
  agent: ({ agentId }) => `/agents/${agentId}`,
  settings: () => "/settings",
  installation: () => "/settings/installation",
};

let demo: DemoProject;

beforeAll(async () => {
  demo = await readDemoProject(inject("demo"));
  await mkdir(screens, { recursive: true });
});

describe.each(Object.entries(pages))("%s", (name, address) => {
  // What a narrow page shows has the colors of a wide one: one theme is enough for its layout.
  test.each([
    { width: 1440, themes: ["light", "dark"] },
    { width: 390, themes: ["light"] },
  ] as const)("is clean at $width px in $themes", async ({ width, themes }) => {
    const { page, problems, settle, close } = await openPage({ width });
    try {
      await page.goto(demo.base + address(demo));
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        await settle();
        await page.screenshot({ path: path.join(screens, `${name}-${theme}-${width}.png`) });
        problems.push(...(await inspect(page)).map((line) => `${theme}: ${line}`));
      }
      expect(problems).toEqual([]);
    } finally {
      await close();
    }
  });
});
