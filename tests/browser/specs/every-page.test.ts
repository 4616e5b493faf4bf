import { mkdir } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { sample } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const screens = path.resolve(import.meta.dirname, "../../../.cache/screens");
/** CI keeps no pictures. */
const areKept = process.env.CI !== "true";

/** Every page of a project; a page for one object shows one of the sample project. */
const pages: Record<string, string> = {
  overview: "/",
  traces: "/traces",
  trace: `/traces/${sample.traceId}`,
  sessions: "/sessions",
  session: `/sessions/${encodeURIComponent(sample.sessionId)}`,
  inbox: "/inbox",
  datasets: "/datasets",
  dataset: `/datasets/${sample.datasetId}`,
  runs: "/runs",
  run: `/runs/${sample.runIds[1]}`,
  compare: `/runs/compare?baseline=${sample.runIds[0]}&candidate=${sample.runIds[1]}`,
  gates: "/gates",
  "ci-run": `/gates/ci/${sample.ciRunId}`,
  judges: "/judges",
  judge: `/judges/${sample.judgeId}`,
  agreement: `/judges/${sample.judgeId}/agreement`,
  prompts: "/prompts",
  prompt: `/prompts/${sample.promptId}`,
  "prompt-changes": `/prompts/${sample.promptId}?changes=true`,
  agents: "/agents",
  agent: `/agents/${sample.agentId}`,
  settings: "/settings",
  installation: "/settings/installation",
};

beforeAll(async () => {
  await mkdir(screens, { recursive: true });
});

/** What a narrow page shows has the colors of a wide one: one theme is enough for its layout. */
const looks = [
  { width: 1440, theme: "light", rules: "all" },
  { width: 1440, theme: "dark", rules: "colors" },
  { width: 390, theme: "light", rules: "all" },
] as const;

test.each(Object.entries(pages))("%s is clean in both themes, wide and narrow", async (name, address) => {
  const { page, problems, settle, close } = await openPage();
  try {
    await page.goto(sample.base + address);
    for (const { width, theme, rules } of looks) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await settle();
      if (areKept) await page.screenshot({ path: path.join(screens, `${name}-${theme}-${width}.png`) });
      problems.push(...(await inspect(page, rules)).map((line) => `${theme}, ${width} px: ${line}`));
    }
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
