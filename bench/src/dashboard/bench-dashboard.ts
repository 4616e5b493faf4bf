import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../../../tests/browser/src/find-browser.ts";
import { median } from "../closed-loop.ts";
import { atLeast, atMost, printFigure, printHeading } from "../report.ts";
import { type Standalone, startStandalone } from "../standalone.ts";
import { readJson, sendLargeTrace, sendManyTraces } from "./fill-project.ts";
import {
  awaitPainted,
  measureUnwatched,
  openColdPage,
  pressFrames,
  readFirstPaintMs,
  readHeapMb,
  readScripts,
  scrollFrames,
} from "./measure-page.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const treeRow = "[role='treeitem']";
const listRow = "main [role='row'] a, main tbody tr, main [role='row']";
const listed = 5_000;
const scrolledRows = 3_900;
const rowHeight = 32;
const frameMaxMs = 20;

/** A page without scripts: the least that this browser takes on this machine. */
const blankPage = "<!doctype html><title>Blank</title><p>Blank";
/** As many plain rows as the list has. */
const plainRows = `<!doctype html><title>Plain rows</title><div style="height:700px;overflow-y:auto">${`<div role="row" style="height:${rowHeight}px">Plain</div>`.repeat(scrolledRows)}</div>`;

/** The dashboard in a browser: what it loads, how soon it paints, and how it moves, each with its bar. */
export async function benchDashboard({ rounds }: { rounds: number }): Promise<void> {
  printHeading("The dashboard, in a browser without anything cached");
  const found = findBrowser();
  if (found.path === null) {
    console.log(`  left out. ${found.reason}`);
    return;
  }
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
  const system = await startStandalone({ home });
  const browser = await launchBrowser(found.path);
  try {
    await awaitPages(system);
    const { projects } = (await readJson(system, "/projects")) as { projects: { _id: string }[] };
    const base = `${system.address}/p/${projects[0]?._id}`;
    await sendManyTraces(system, listed);
    await benchFirstPaint(browser, base, rounds);
    await benchScripts(browser, system, base);
    await benchTree(browser, system, base, { spans: 10_000, rounds, paintMaxS: 1, cpuMaxS: 0.4 });
    await benchTree(browser, system, base, { spans: 50_000, rounds, paintMaxS: 2.5 });
    await benchList(browser, base);
  } finally {
    await browser.close();
    await system.stop();
    await rm(home, { recursive: true, force: true });
  }
  await benchBuild();
}

/** The pages are built beside the start, which does not wait for them. */
async function awaitPages(system: Standalone): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { status } = await fetch(system.address, { headers: { accept: "text/html" } });
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The dashboard is not served after a minute.");
}

/** Serves one page for as long as `work` takes. */
async function servePage<Result>(html: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(html);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

async function benchFirstPaint(browser: Browser, base: string, rounds: number): Promise<void> {
  const times = { blank: [] as number[], frame: [] as number[] };
  const load = async (name: keyof typeof times, url: string): Promise<void> => {
    const { page, close } = await openColdPage(browser);
    await page.goto(url);
    times[name].push(await readFirstPaintMs(page));
    await close();
  };
  await servePage(blankPage, async (url) => {
    for (let round = 0; round < rounds; round += 1) {
      await load("blank", url);
      await load("frame", `${base}/`);
    }
  });
  printFigure({
    what: "first contentful paint",
    value: median(times.frame) / 1000,
    unit: "s",
    bar: atMost(0.4),
    beside: `a blank page ${(median(times.blank) / 1000).toFixed(2)} s`,
  });
}

async function benchScripts(browser: Browser, system: Standalone, base: string): Promise<void> {
  const load = async (address: string): Promise<Map<string, number>> => {
    const { page, close } = await openColdPage(browser);
    await page.goto(base + address, { waitUntil: "load" });
    await page.locator("main h1").first().waitFor();
    await page.waitForTimeout(500);
    const scripts = await readScripts(page);
    await close();
    return scripts;
  };
  const first = await load("/");
  const sum = (scripts: Iterable<number>): number => [...scripts].reduce((total, bytes) => total + bytes, 0) / 1024;
  const own = new Map<string, number>();
  const { traces } = (await readJson(system, "/ingest/traces?limit=1")) as { traces: { _id: string }[] };
  const lists = ["traces", "sessions", "inbox", "datasets", "runs", "gates", "judges", "agents", "settings"];
  for (const name of [...lists, `traces/${traces[0]?._id}`]) {
    const more = [...(await load(`/${name}`))].filter(([script]) => !first.has(script)).map(([, bytes]) => bytes);
    own.set(name, sum(more));
  }
  const [largest, size] = [...own].reduce((one, other) => (other[1] > one[1] ? other : one));
  printFigure({
    what: "scripts of the first page, compressed",
    value: sum(first.values()),
    unit: "KB",
    bar: atMost(200),
  });
  printFigure({
    what: "scripts that another page adds, at most",
    value: size,
    unit: "KB",
    bar: atMost(40),
    beside: largest,
  });
}

async function benchTree(
  browser: Browser,
  system: Standalone,
  base: string,
  { spans, rounds, paintMaxS, cpuMaxS }: { spans: number; rounds: number; paintMaxS: number; cpuMaxS?: number },
): Promise<void> {
  const traceId = await sendLargeTrace(system, spans);
  const startedMs = performance.now();
  const outline = JSON.stringify(await readJson(system, `/ingest/traces/${traceId}/outline`));
  const outlineMs = performance.now() - startedMs;
  const painted: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { paintedS, busyS } = await measureUnwatched(browser, `${base}/traces/${traceId}`, treeRow);
    painted.push(paintedS);
    busy.push(busyS);
  }
  const { page, close } = await openColdPage(browser);
  await page.goto(`${base}/traces/${traceId}`, { waitUntil: "commit" });
  await awaitPainted(page, treeRow);
  const frames = await scrollFrames(page, treeRow, 240);
  await close();
  printFrames(`${spans} spans, scrolled: frames within ${frameMaxMs} ms`, frames);
  printFigure({ what: `${spans} spans, painted`, value: median(painted), unit: "s", bar: atMost(paintMaxS) });
  printFigure({
    ...{ what: `${spans} spans, main thread until then`, value: median(busy), unit: "s" },
    ...(cpuMaxS !== undefined && { bar: atMost(cpuMaxS) }),
  });
  printFigure({
    what: `${spans} spans, outline`,
    value: Buffer.byteLength(outline) / 1024 ** 2,
    unit: "MB",
    ...(spans === 10_000 && { bar: atMost(2.5) }),
    beside: `${(gzipSync(outline).length / 1024).toFixed(0)} KB compressed, in ${(outlineMs / 1000).toFixed(2)} s`,
  });
}

async function benchList(browser: Browser, base: string): Promise<void> {
  const { page, cdp, close } = await openColdPage(browser);
  await page.goto(`${base}/traces`);
  await awaitPainted(page, listRow);
  const presses = await pressFrames(page, "j", 60);
  const framesCount = Math.ceil((scrolledRows * rowHeight) / 90);
  const frames = await scrollFrames(page, listRow, framesCount);
  const plain = await servePage(plainRows, async (url) => {
    const { page: other, close: closeOther } = await openColdPage(browser);
    await other.goto(url);
    const taken = await scrollFrames(other, "[role='row']", framesCount);
    await closeOther();
    return taken;
  });
  printFrames(`list, ${scrolledRows} rows scrolled: frames within ${frameMaxMs} ms`, frames, plain);
  printFigure({ what: "its heap afterwards", value: await readHeapMb(cdp), unit: "MB", bar: atMost(80) });
  printFigure({ what: "key to next row, p95", value: percentile(presses, 0.95), unit: "ms", bar: atMost(50) });
  await close();
}

async function benchBuild(): Promise<void> {
  const out = await mkdtemp(path.join(tmpdir(), "touchstone-dashboard-"));
  try {
    const built = await timeCommand("node", ["tools/build-dashboard.ts", "--out", path.join(out, "built")]);
    printFigure({ what: "build", value: built / 1000, unit: "s", bar: atMost(6) });
    printFigure({ what: "type check", value: (await timeCommand("tsc", ["-p", "apps/dashboard"])) / 1000, unit: "s" });
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function timeCommand(command: string, args: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const [code] = await once(spawn(command, args, { cwd: repository, stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with code ${code}`);
  return performance.now() - startedMs;
}

function printFrames(what: string, frames: readonly number[], plain?: readonly number[]): void {
  const quick = (taken: readonly number[]): number =>
    (taken.filter((ms) => ms <= frameMaxMs).length / taken.length) * 100;
  const yardstick = plain === undefined ? "" : `; plain rows ${quick(plain).toFixed(1)} %`;
  const beside = `p50 ${percentile(frames, 0.5).toFixed(1)}, p95 ${percentile(frames, 0.95).toFixed(1)} ms${yardstick}`;
  printFigure({ what, value: quick(frames), unit: "%", bar: atLeast(95), beside });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
