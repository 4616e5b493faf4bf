import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { waitUntil } from "../../integration/src/wait-until.ts";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The settings of a page. */
export interface View {
  theme?: "light" | "dark";
  /** CSS pixels; 1440 or 390 by convention. */
  width?: number;
  height?: number;
  /** Requests that may fail, such as those of a test that stops the server. */
  mayFail?: (url: string, status: number | null) => boolean;
}

/** A page in a new context: no cookie, no key, nothing from another test. */
export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** The problems so far: console errors, uncaught errors, blocked content, failed requests. */
  problems: string[];
  /** Waits until the page has loaded: no request is open and no placeholder is visible. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A page is settled when it made no request for this long. */
const quietMs = 250;

/** Opens a page and records every problem from the first request on. */
export async function watchPage(browser: Browser, view: View = {}): Promise<OpenedPage> {
  const { theme = "light", width = 1440, height = 900, mayFail = () => false } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(60_000);
  const problems: string[] = [];
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // The browser's own message about a 4xx or 5xx does not contain the status; the answer does.
    if (message.text().startsWith("Failed to load resource")) return;
    problems.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && !mayFail(response.url(), response.status())) {
      problems.push(`${response.status()} ${response.request().method()} ${response.url()}`);
    }
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // Requests that a page left behind.
    if (reason === "net::ERR_ABORTED" || mayFail(request.url(), null)) return;
    problems.push(`${reason} ${request.method()} ${request.url()}`);
  });
  const underWay = followRequests(page);
  return {
    page,
    context,
    problems,
    async settle() {
      await page.locator("main").waitFor();
      await waitUntil("the page has loaded", async () => {
        if (underWay() > 0) return false;
        await page.waitForTimeout(quietMs);
        return underWay() === 0 && (await page.locator("main [aria-busy='true']").count()) === 0;
      });
    },
    close: () => context.close(),
  };
}

/** The number of requests without an answer, except streams, which end with their page. */
function followRequests(page: Page): () => number {
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (!new URL(request.url()).pathname.endsWith("/stream")) open.add(request);
  });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return () => open.size;
}

interface Findings {
  violations: { id: string; help: string; nodes: { html: string }[] }[];
  overflow: number;
}

/** The rules whose findings depend on the theme. */
const colorRules = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/**
 * The findings of axe, and whether the page scrolls sideways; one line each. `rules` limits axe to those that a theme can break, for
 * a page whose other theme was inspected.
 */
export async function inspect(page: Page, rules: "all" | "colors" = "all"): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeSource);
  const options = { resultTypes: ["violations"], ...(rules === "colors" && { runOnly: colorRules }) };
  const { violations, overflow } =
    await page.evaluate<Findings>(`axe.run(${JSON.stringify(options)}).then(({ violations }) => ({
    violations,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }))`);
  const lines = violations.map(({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes[0]?.html.slice(0, 200)}`);
  return overflow > 0 ? [...lines, `scrolls sideways by ${overflow} px`] : lines;
}
