import type { BrowserContext } from "playwright-core";

/** Requests other than GET that pages may send to the sample project, because they change nothing. */
const harmless: Record<string, string> = {
  "POST /api/v1/agent-monitoring/alert-rules/dry-run": "Tries an alert rule, and stores nothing.",
};

/**
 * Refuses what the pages of a context would write with this key: the request fails like one without an answer, and the error is
 * a problem of the page. The dashboard sends every request by `fetch`.
 */
export async function refuseWrites(context: BrowserContext, apiKey: string): Promise<void> {
  await context.addInitScript(
    ({ apiKey, allowed }) => {
      const send = globalThis.fetch;
      globalThis.fetch = async (input, init) => {
        const request = new Request(input, init);
        const name = `${request.method} ${new URL(request.url).pathname}`;
        const isRead = request.method === "GET" || allowed.includes(name);
        if (isRead || request.headers.get("x-api-key") !== apiKey) return send(request);
        queueMicrotask(() => {
          throw new Error(`The sample project is read only; ${name} needs a project of the test's own.`);
        });
        throw new TypeError("Failed to fetch");
      };
    },
    { apiKey, allowed: Object.keys(harmless) },
  );
}
