import type { Handler } from "@touchstone/service-kit";
import { countLogRecords } from "../../otlp/count-export-items.ts";
import { encodeLogsExportResponse } from "../../otlp/encode-reply.ts";
import type { InflightBudget } from "./inflight-budget.ts";
import { receiveExport } from "./receive-export.ts";

/**
 * `POST /otel/v1/logs`: accepted with a warning that says what is not kept, since an exporter that gets an error would
 * send the same records for ever (otlp 7).
 */
export function receiveLogs(dependencies: { budget: InflightBudget }): Handler {
  return receiveExport(dependencies, async ({ body, encoding }) => {
    const count = await countLogRecords(body, encoding);
    const message = count === 0 ? null : `${count} log records are not stored yet`;
    return encodeLogsExportResponse({ rejected: 0, message, contentType: encoding });
  });
}
