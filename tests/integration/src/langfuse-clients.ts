import { LangfuseClient } from "@langfuse/client";
import { traceDetail, traceList, traceOutline } from "@touchstone/contracts";
import { Langfuse } from "langfuse";
import type { ApiClient } from "./client.ts";

/** The unmodified clients, configured as their manuals say: an address and two keys. */
export interface LangfuseClients {
  v3: Langfuse;
  v5: LangfuseClient;
  /** Sends a request as no client of Langfuse sends it. */
  ask(
    path: string,
    headers?: Record<string, string>,
    method?: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }>;
}

export function langfuseClients(url: string, secretKey: string): LangfuseClients {
  const settings = { publicKey: "pk-lf-any", secretKey, baseUrl: url };
  return {
    v3: new Langfuse(settings),
    v5: new LangfuseClient(settings),
    async ask(path, headers = {}, method = "GET", body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${url}/api/public${path}`, { method, headers, ...sent });
      return { status: answer.status, body: await answer.json() };
    },
  };
}

/** A key as the clients of Langfuse send it. */
export const basic = (key: string): string => `Basic ${Buffer.from(`anyone:${key}`).toString("base64")}`;

/** Reads the one trace of a name through our own API. */
export async function readOnlyTrace(client: ApiClient, name: string) {
  const found = await client.expect(
    { status: 200, schema: traceList },
    "GET",
    `/ingest/traces?limit=10&search=${name}`,
  );
  const [trace, ...others] = found.traces;
  if (trace === undefined || others.length > 0) throw new Error(`${found.traces.length} traces are named ${name}`);
  const path = `/ingest/traces/${trace._id}`;
  const detail = await client.expect({ status: 200, schema: traceDetail }, "GET", path);
  const { spans } = await client.expect({ status: 200, schema: traceOutline }, "GET", `${path}/outline`);
  return { detail, spans };
}
