import { waitUntil } from "../../integration/src/wait-until.ts";

/** The API is ready before the pages are built; resolves when the gateway serves them. */
export async function waitForDashboard(url: string): Promise<void> {
  await waitUntil(
    "the dashboard is built",
    async () => (await fetch(url, { headers: { accept: "text/html" } })).status === 200,
    { timeoutMs: 120_000 },
  );
}
