import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, bodyOf, type Touchstone } from "@touchstone/sdk";
import type { Command } from "commander";
import { exitCodes, type Surroundings } from "./surroundings.ts";

interface Check {
  name: string;
  /** Returns what was found. Throws what is wrong. */
  run(client: Touchstone): Promise<string>;
  fix: string;
}

const clockToleranceMs = 30_000;
const readBackMs = 15_000;

/** In this order: what follows cannot work when an earlier one fails. */
const checks: readonly Check[] = [
  {
    name: "address",
    run: async (client) => {
      const { version } = await bodyOf(client.api.GET("/api/v1/auth/config"));
      return `Touchstone ${version} answers at ${client.url}.`;
    },
    fix: "Start Touchstone with `npm start`, or set TOUCHSTONE_URL to its address.",
  },
  {
    name: "key",
    run: async (client) => {
      const { totalCount } = await bodyOf(
        client.api.GET("/api/v1/ingest/traces", { params: { query: { limit: "1" } } }),
      );
      return `The key opens a project with ${totalCount} traces.`;
    },
    fix: "Set TOUCHSTONE_API_KEY to a key of the project, from its settings in the dashboard.",
  },
  {
    name: "clock",
    run: checkClock,
    fix: "Set the clock of this machine or of the server, for example with NTP: spans with a wrong time are shown in the wrong place.",
  },
  {
    name: "otlp",
    run: checkOtlp,
    fix: "See GET /api/v1/agent-monitoring/ingest-health for what was refused and why.",
  },
  {
    name: "judge",
    run: async (client) => {
      await client.request("/api/v1/custom-agent-evaluations/datasets/suggest-expected", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "What is 1 + 1?" }),
      });
      return "The default judge answers.";
    },
    fix: "Set the provider's key where Touchstone runs, such as OPENAI_API_KEY, or under provider keys in the dashboard.",
  },
];

/** `touchstone doctor` */
export function addDoctor(program: Command, { client, print }: Surroundings): void {
  program
    .command("doctor")
    .description(
      "Check the address, the key, the clock, OpenTelemetry and the judge. It sends one trace and asks the judge once.",
    )
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print the findings as JSON")
    .action(async ({ url, json }: { url?: string; json?: boolean }) => {
      const findings = await examine(client(url));
      if (json) print(JSON.stringify(findings));
      else
        for (const { name, ok, detail, fix } of findings)
          print(`${ok ? "ok" : "not ok"}  ${name}: ${detail}${fix === null ? "" : `\n        ${fix}`}`);
      process.exitCode = findings.every(({ ok }) => ok) ? exitCodes.passed : exitCodes.failed;
    });
}

interface Finding {
  name: string;
  ok: boolean;
  detail: string;
  fix: string | null;
}

/** Ends at an address or key that does not work. */
async function examine(client: Touchstone): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run, fix } of checks) {
    try {
      findings.push({ name, ok: true, detail: await run(client), fix: null });
    } catch (error) {
      findings.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error), fix });
      if (name === "address" || name === "key") break;
    }
  }
  return findings;
}

async function checkClock(client: Touchstone): Promise<string> {
  const before = Date.now();
  const response = await client.request("/api/v1/auth/config");
  const after = Date.now();
  // The header has whole seconds.
  const serverMs = Date.parse(response.headers.get("date") ?? "") + 500;
  if (Number.isNaN(serverMs)) return "The server states no time.";
  const differenceMs = serverMs - (before + after) / 2;
  const seconds = Math.abs(differenceMs / 1_000).toFixed(0);
  if (Math.abs(differenceMs) > clockToleranceMs) {
    throw new Error(`This clock is ${seconds} s ${differenceMs > 0 ? "behind" : "ahead of"} the server's.`);
  }
  return `This clock and the server's differ by at most ${Math.max(1, Number(seconds))} s.`;
}

/** Sends a span as OTLP/JSON and reads its trace back. */
async function checkOtlp(client: Touchstone): Promise<string> {
  const traceId = randomBytes(16).toString("hex");
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const span = {
    traceId,
    spanId: randomBytes(8).toString("hex"),
    name: "touchstone doctor",
    kind: 1,
    startTimeUnixNano: String(now - 1_000_000n),
    endTimeUnixNano: String(now),
    attributes: [text("touchstone.source", "eval-run")],
  };
  const resource = { attributes: [text("service.name", "touchstone-doctor")] };
  const response = await client.request("/api/v1/otel/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "touchstone" }, spans: [span] }] }],
    }),
  });
  const { partialSuccess } = (await response.json()) as { partialSuccess?: { errorMessage?: string } };
  if (partialSuccess?.errorMessage) throw new Error(`The span was refused: ${partialSuccess.errorMessage}`);
  const deadline = Date.now() + readBackMs;
  while (Date.now() < deadline) {
    const { spans } = await bodyOf(
      client.api.GET("/api/v1/ingest/sessions/{sessionId}/spans", { params: { path: { sessionId: traceId } } }),
    );
    const [found] = spans;
    if (found !== undefined) return `A span was sent over OTLP and read back as trace ${found._id}.`;
    await sleep(500);
  }
  throw new ApiError("The span was accepted and cannot be read.", { status: null });
}
