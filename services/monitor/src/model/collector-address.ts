import type { Secret } from "@touchstone/contracts";

/** Who takes the verdicts of an installation. */
export interface Collector {
  /** Where it takes log records. */
  url: string;
  /** Headers that go with them, see {@link readHeaderList}; null: none. */
  headers: Secret | null;
}

const logsPath = "/v1/logs";

/** Where log records go: the address itself where it ends with the path of OTLP logs, else that path below it. */
export function logsUrlOf(endpoint: string): string {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  url.pathname = path.endsWith(logsPath) ? path : `${path}${logsPath}`;
  return url.href;
}

/** Reads `name=value,name=value`, values percent-encoded where they need be; names come out in lower case. */
export function readHeaderList(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim().toLowerCase(), decodeURIComponent(value.join("=").trim())];
    }),
  );
}
