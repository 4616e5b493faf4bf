import { randomBytes } from "node:crypto";
import type { SubmittedSpanUpdate } from "@touchstone/contracts";
import type { Reply, RunningIngest } from "./running-ingest.ts";

/** The ids of two spans of a trace. */
export const root = "00f067aa0ba902b7";
export const child = "00f067aa0ba902b8";
export const newTraceId = (): string => randomBytes(16).toString("hex");

/** What tests of updates of spans ask a service that is started later. */
export function spanUpdateClient(ingest: () => RunningIngest) {
  const read = async (projectId: string, path: string): Promise<Reply["json"]> =>
    (await ingest().call(projectId, "GET", `/api/v1/ingest/traces${path}`)).json;
  return {
    send(projectId: string, updates: readonly Partial<SubmittedSpanUpdate>[]): Promise<Reply> {
      const request = { body: JSON.stringify({ updates }), headers: { "content-type": "application/json" } };
      return ingest().call(projectId, "POST", "/api/v1/ingest/span-updates", request);
    },
    list: (projectId: string, query = "") => read(projectId, `?limit=100${query}`),
    detail: (projectId: string, id: string) => read(projectId, `/${id}`),
  };
}
