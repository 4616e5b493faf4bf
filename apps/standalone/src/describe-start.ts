/** The number of the key's characters that are shown with `SERVICE_PRINT_KEY=false` (completions 1.1). */
const shortKeyChars = 8;

export interface StartDescription {
  /** The gateway's address. */
  address: string;
  /** The dashboard's address for a browser; null if none is served. */
  pages: string | null;
  apiKey: string | null;
  printKey: boolean;
  /** The project with the sample; a null id is the default project. Null if no sample was loaded. */
  sample: { projectId: string | null; apiKey: string } | null;
}

/**
 * The text that is printed once requests are served: the addresses, the key, and three lines that send a first trace. A separate
 * sample project comes last.
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
