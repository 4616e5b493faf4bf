/** Characters of the key that are shown with `SERVICE_PRINT_KEY=false` (decisions: Startup key line). */
const shortKeyChars = 8;

export interface StartDescription {
  /** Of the gateway. */
  address: string;
  /** Where a browser finds the dashboard; null where none is served. */
  pages: string | null;
  apiKey: string | null;
  printKey: boolean;
}

/** What is printed once requests are served: where to look, the key, and three lines that send a first trace. */
export function describeStart({ address, pages, apiKey, printKey }: StartDescription): string {
  const first = pages === null ? `Touchstone is ready at ${address}` : `Open ${pages} in your browser.`;
  // Multi-tenant mode has no default project (decisions: Startup key line).
  if (apiKey === null) return `\n${first}\n`;
  const shown = printKey ? apiKey : `${apiKey.slice(0, shortKeyChars)}...`;
  return [
    "",
    first,
    `Default project API key: ${shown}`,
    "",
    "Send a first trace:",
    `curl -X POST ${address}/api/v1/ingest/traces \\`,
    `  -H 'x-api-key: ${printKey ? apiKey : "<the key>"}' -H 'content-type: application/json' \\`,
    `  -d '{"name":"weather-agent","input":"How is the weather in Paris?","output":"Sunny, 18 degrees."}'`,
    "",
  ].join("\n");
}
