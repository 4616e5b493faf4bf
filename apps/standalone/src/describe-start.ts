/** Characters of the key that are shown with `SERVICE_PRINT_KEY=false` (completions 1.1). */
const shortKeyChars = 8;

export interface StartDescription {
  /** Of the gateway. */
  address: string;
  /** Where a browser finds the dashboard; null where none is served. */
  pages: string | null;
  apiKey: string | null;
  printKey: boolean;
  /** Where the sample project was loaded; a null id is the default project's. Null: nowhere. */
  sample: { projectId: string | null; apiKey: string } | null;
}

/**
 * What is printed once requests are served: where to look, the key, and three lines that send a first trace. A sample
 * project beside the default one comes last.
 */
export function describeStart({ address, pages, apiKey, printKey, sample }: StartDescription): string {
  const first = pages === null ? `Touchstone is ready at ${address}` : `Open ${pages} in your browser.`;
  // Multi-tenant mode has no default project (completions 1.1).
  if (apiKey === null) return `\n${first}\n`;
  const show = (key: string): string => (printKey ? key : `${key.slice(0, shortKeyChars)}...`);
  return [
    "",
    first,
    `Default project API key: ${show(apiKey)}`,
    "",
    "Send a first trace:",
    `curl -X POST ${address}/api/v1/ingest/traces \\`,
    `  -H 'x-api-key: ${printKey ? apiKey : "<the key>"}' -H 'content-type: application/json' \\`,
    `  -d '{"name":"weather-agent","input":"How is the weather in Paris?","output":"Sunny, 18 degrees."}'`,
    "",
    ...(sample === null || sample.projectId === null
      ? []
      : [
          "The default project holds other traces, so the sample has a project of its own:",
          ...(pages === null ? [] : [`Open ${pages}/p/${sample.projectId} in your browser.`]),
          `Its API key: ${show(sample.apiKey)}`,
          "",
        ]),
  ].join("\n");
}
