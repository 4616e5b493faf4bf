import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

/** A page in a browser with an empty cache. */
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

const windowOpensMs = 1_500;

/** The browser's answer to a command; an event has no id. */
interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

/**
 * Opens an address in a browser with an empty cache and without a driver, like a user's: a driver is notified of each
 * request and each script, which occupies the page's main thread. Returns the seconds from the navigation until the
 * frame after the first element of the selector is painted, and for how many of them the main thread was busy.
 */
export async function measureUnwatched(
  browser: Browser,
  url: string,
  selector: string,
): Promise<{ paintedS: number; busyS: number }> {
  const cdp = await browser.newBrowserCDPSession();
  const { browserContextId } = await cdp.send("Target.createBrowserContext");
  try {
    const { targetId } = await cdp.send("Target.createTarget", {
      ...{ url: "about:blank", browserContextId, width: 1440, height: 900 },
    });
    // A nested session that the driver does not see.
    const { sessionId } = await cdp.send("Target.attachToTarget", { targetId, flatten: false });
    const answers = new Map<number, (answer: Answer) => void>();
    cdp.on("Target.receivedMessageFromTarget", (event) => {
      const answer = JSON.parse(event.message) as Answer;
      if (event.sessionId === sessionId && answer.id !== undefined) answers.get(answer.id)?.(answer);
    });
    const ask = async <Result>(method: string, params: object = {}): Promise<Result> => {
      const id = answers.size + 1;
      const answered = new Promise<{ result?: unknown; error?: { message: string } }>((resolve) =>
        answers.set(id, resolve),
      );
      await cdp.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params }) });
      const { result, error } = await answered;
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result as Result;
    };
    await ask("Performance.enable");
    // A new window loads the browser's own pages first, which is not part of opening an address.
    await sleep(windowOpensMs);
    await ask("Page.navigate", { url });
    const painted = await ask<{ result: { value: number } }>("Runtime.evaluate", {
      expression: afterPaint(selector),
      awaitPromise: true,
    });
    const { metrics } = await ask<{ metrics: { name: string; value: number }[] }>("Performance.getMetrics");
    const busy = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    return { paintedS: painted.result.value / 1000, busyS: busy };
  } finally {
    await cdp.send("Target.disposeBrowserContext", { browserContextId });
    await cdp.detach();
  }
}

/**
 * A promise of the milliseconds from the navigation until the frame after the first element of a selector is painted.
 */
function afterPaint(selector: string): string {
  return `new Promise((resolve) => {
    const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    const isThere = () => document.querySelector(${JSON.stringify(selector)}) !== null;
    if (isThere()) return painted();
    const observer = new MutationObserver(() => {
      if (!isThere()) return;
      observer.disconnect();
      painted();
    });
    observer.observe(document, { childList: true, subtree: true });
  })`;
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

/** Waits until the frame after the first element of a selector is painted. */
export async function awaitPainted(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector, { timeout: 60_000 });
  await page.evaluate(afterPaint(selector));
}

/** Megabytes of JavaScript objects in use. */
export async function readHeapMb(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN) / 1024 ** 2;
}

/** Bytes of scripts on the wire, by address. */
export async function readScripts(page: Page): Promise<Map<string, number>> {
  const scripts = await page.evaluate<[string, number][]>(
    "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => [name, encodedBodySize])",
  );
  return new Map(scripts);
}

/** Scrolls the container of a row for this many frames; returns how long each took, in milliseconds. */
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

/** Presses a key repeatedly; returns how long each press took until the frame that shows it, in milliseconds. */
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
