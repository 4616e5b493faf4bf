import type { Secret } from "@touchstone/contracts";

/** The receiver of an installation's verdicts. */
export interface Collector {
  /** The address for log records. */
  url: string;
  /** Headers of the requests, as `readHeaderList` reads them; null: none. */
  headers: Secret | null;
}

/** The path of log records in OTLP over HTTP. */
const logsPath = "/v1/logs";

/** The URL for log records: the address itself if it ends with the path of OTLP logs, else that path below it. */
export function logsUrlOf(endpoint: string): string {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  url.pathname = path.endsWith(logsPath) ? path : `${path}${logsPath}`;
  return url.href;
}
