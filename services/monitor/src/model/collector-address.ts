import type { Secret } from "@touchstone/contracts";

/** The receiver of an installation's verdicts. */
export interface Collector {
  /** The address for log records. */
  url: string;
  /** Headers of the requests, see {@link readHeaderList}; null: none. */
  headers: Secret | null;
}

const logsPath = "/v1/logs";

/** The URL for log records: the address itself if it ends with the path of OTLP logs, else that path below it. */
export function logsUrlOf(endpoint: string): string {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  url.pathname = path.endsWith(logsPath) ? path : `${path}${logsPath}`;
  return url.href;
}

/** Parses `name=value,name=value` with percent-encoded values; returns names in lower case. */
export function readHeaderList(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim().toLowerCase(), decodeURIComponent(value.join("=").trim())];
    }),
  );
}
