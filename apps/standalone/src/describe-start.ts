/** Characters of the key that are shown with `SERVICE_PRINT_KEY=false` (decisions: Startup key line). */
const shortKeyChars = 8;

/** What is printed once requests are served: the address, the key, and three lines that send a first trace. */
export function describeStart(start: { address: string; apiKey: string | null; printKey: boolean }): string {
  const { address, apiKey, printKey } = start;
  // Multi-tenant mode has no default project (decisions: Startup key line).
  if (apiKey === null) return `\nTouchstone is ready at ${address}\n`;
  const shown = printKey ? apiKey : `${apiKey.slice(0, shortKeyChars)}...`;
  return [
    "",
    `Touchstone is ready at ${address}`,
    `Default project API key: ${shown}`,
    "",
    "Send a first trace:",
    `curl -X POST ${address}/api/v1/ingest/traces \\`,
    `  -H 'x-api-key: ${printKey ? apiKey : "<the key>"}' -H 'content-type: application/json' \\`,
    `  -d '{"name":"weather-agent","input":"How is the weather in Paris?","output":"Sunny, 18 degrees."}'`,
    "",
  ].join("\n");
}
