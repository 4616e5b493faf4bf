/**
 * `npm run screens` takes the README's screenshots: it starts an installation with the sample project, opens four of
 * its pages, and writes `docs/images`. A picture that is too large for a README fails the command.
 */
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DemoProject, readDemoProject } from "../tests/browser/src/demo-project.ts";
import { findBrowser, launchBrowser } from "../tests/browser/src/find-browser.ts";
import { waitForDashboard } from "../tests/browser/src/wait-for-dashboard.ts";
import { watchPage } from "../tests/browser/src/watch-page.ts";
import { startStandaloneProcess } from "../tests/integration/src/standalone-process.ts";

const images = path.resolve(import.meta.dirname, "../docs/images");
const bytesMax = 200 * 1024;

interface Picture {
  name: string;
  theme: "light" | "dark";
  address(demo: DemoProject): string;
}

const pictures: readonly Picture[] = [
  { name: "overview", theme: "light", address: () => "/?window=7d" },
  { name: "trace", theme: "dark", address: ({ traceId }) => `/traces/${traceId}?tab=verdicts` },
  { name: "run", theme: "light", address: ({ runIds }) => `/runs/${runIds[1]}` },
  {
    name: "compare",
    theme: "dark",
    address: ({ runIds }) => `/runs/compare?baseline=${runIds[0]}&candidate=${runIds[1]}`,
  },
];

const found = findBrowser();
if (found.path === null) throw new Error(found.reason);
const home = await mkdtemp(path.join(tmpdir(), "touchstone-screens-"));
const system = await startStandaloneProcess({ home, args: ["--demo"], deadlineMs: 240_000 });
const browser = await launchBrowser(found.path);
try {
  await waitForDashboard(system.url);
  const demo = await readDemoProject(system);
  await mkdir(images, { recursive: true });
  for (const { name, theme, address } of pictures) {
    const { page, settle, close } = await watchPage(browser, { theme, width: 1280, height: 800 });
    await page.goto(demo.base + address(demo));
    await settle();
    const file = path.join(images, `${name}.png`);
    await page.screenshot({ path: file });
    await close();
    const { size } = await stat(file);
    console.log(`${path.relative(process.cwd(), file)}: ${(size / 1024).toFixed(0)} KB`);
    if (size > bytesMax) throw new Error(`${file} has more than ${bytesMax / 1024} KB.`);
  }
} finally {
  await browser.close();
  await system.interrupt();
  await rm(home, { recursive: true, force: true });
}
