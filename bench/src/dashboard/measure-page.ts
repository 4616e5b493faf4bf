import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

/** A page in a browser that has nothing in its cache. */
export interface ColdPage {
  page: Page;
  cdp: CDPSession;
  close(): Promise<void>;
}

export async function openColdPage(browser: Browser): Promise<ColdPage> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable");
  return { page, cdp, close: () => context.close() };
}

/** Milliseconds from the navigation to the first text or picture. */
export async function readFirstPaintMs(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const paint = list.getEntriesByName("first-contentful-paint")[0];
      if (paint !== undefined) resolve(paint.startTime);
    }).observe({ type: "paint", buffered: true });
  })`);
}

/** Milliseconds from the navigation until the frame after the first element of a selector is painted. */
export async function awaitPaintedMs(page: Page, selector: string): Promise<number> {
  await page.waitForSelector(selector, { timeout: 60_000 });
  return page.evaluate<number>(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))))",
  );
}

/** Seconds that the page's main thread was busy, without what watching it cost. */
export async function readTaskSeconds(cdp: CDPSession): Promise<number> {
  return (await readMetric(cdp, "TaskDuration")) - (await readMetric(cdp, "DevToolsCommandDuration"));
}

/** Megabytes of JavaScript objects that are still needed. */
export async function readHeapMb(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  return (await readMetric(cdp, "JSHeapUsedSize")) / 1024 ** 2;
}

async function readMetric(cdp: CDPSession, name: string): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
}

/** Bytes of scripts as they came over the wire, by address. */
export async function readScripts(page: Page): Promise<Map<string, number>> {
  const scripts = await page.evaluate<[string, number][]>(
    "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => [name, encodedBodySize])",
  );
  return new Map(scripts);
}

/** Scrolls what contains a row for so many frames; answers how long each took, in milliseconds. */
export function scrollFrames(page: Page, rowSelector: string, frames: number): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((resolve) => {
    let box = document.querySelector(${JSON.stringify(rowSelector)});
    while (box !== null && !(box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(box).overflowY))) box = box.parentElement;
    box ??= document.scrollingElement;
    const taken = [];
    let before = performance.now();
    const step = (now) => {
      taken.push(now - before);
      before = now;
      box.scrollTop += 90;
      if (taken.length > ${frames}) resolve(taken.slice(1));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
}

/** Presses a key so often; answers how long each press took until the frame that shows it, in milliseconds. */
export async function pressFrames(page: Page, key: string, presses: number): Promise<number[]> {
  await page.evaluate(`{
    globalThis.pressed = [];
    addEventListener("keydown", ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => globalThis.pressed.push(performance.now() - timeStamp);
        channel.port2.postMessage(null);
      });
    }, { capture: true });
  }`);
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press(key);
    await page.waitForTimeout(30);
  }
  return page.evaluate<number[]>("globalThis.pressed");
}
