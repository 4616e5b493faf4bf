import { get, type IncomingMessage } from "node:http";
import { openRawClients } from "../../../chaos/src/slow-clients.ts";
import type { Attack } from "../attack.ts";
import { storeLargeTraces } from "./large-traces.ts";

const readEveryMs = 1_000;
const readBytes = 1_024;

/** Many clients that read their answers, or send their bodies, as slowly as possible. */
export const slowClients: Attack = {
  name: "slow-clients",
  does: "Readers of lists, exports and streams who take 1 KB/s, writers who send a byte a second, and a thousand idle connections.",
  setting: "projects",
  async prepare(scene) {
    const { url, random, scaled, openTenant, clientOf, over } = scene;
    const tenant = await openTenant("slow clients");
    const client = clientOf(tenant);
    await storeLargeTraces(scene, client, 20);
    const headers = { "x-api-key": tenant.apiKey };
    const routes = [
      "/ingest/traces?limit=20",
      "/ingest/sessions/large/spans",
      "/export/traces",
      "/ingest/traces/stream",
      "/ingest/traces?limit=20",
    ];
    const head = (method: string, path: string, more: string): string =>
      `${method} /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${tenant.apiKey}\r\n${more}`;
    const json = "content-type: application/json\r\n";

    return async () => {
      const readers = Array.from({ length: scaled(80) }, () => {
        const request = get(`${url}/api/v1${random.pick(routes)}`, { headers, agent: false, signal: over });
        request.on("error", () => undefined);
        request.on("response", (answer) => readSlowly(answer, over));
        return request;
      });
      const raw = (
        await Promise.all([
          openRawClients(url, scaled(300)),
          openRawClients(url, scaled(400), "GET /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"),
          openRawClients(url, scaled(100), head("GET", "/ingest/traces", "x-slow: ")),
          openRawClients(url, scaled(100), head("POST", "/ingest/traces", `${json}content-length: 5000000\r\n\r\n{"a`)),
          openRawClients(url, scaled(50), head("POST", "/otel/v1/traces", `${json}transfer-encoding: chunked\r\n\r\n`)),
        ]).catch(() => [])
      ).flat();
      const dripping = setInterval(() => {
        for (const each of raw.slice(scaled(700))) each.write("1\r\n \r\n".slice(0, random.integer(1, 6)));
      }, readEveryMs);
      await new Promise((resolve) => over.addEventListener("abort", resolve, { once: true }));
      clearInterval(dripping);
      for (const each of raw) each.close();
      for (const reader of readers) reader.destroy();
    };
  },
};

/** Reads a little now and then; the rest has to wait. */
function readSlowly(answer: IncomingMessage, over: AbortSignal): void {
  answer.on("error", () => undefined);
  answer.pause();
  const taking = setInterval(() => answer.read(readBytes), readEveryMs);
  over.addEventListener("abort", () => clearInterval(taking), { once: true });
}
