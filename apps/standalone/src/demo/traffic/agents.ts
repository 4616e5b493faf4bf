import { docs } from "../content/docs.ts";
import { refunds } from "../content/refunds.ts";
import { research } from "../content/research.ts";
import type { Scenario } from "../content/scenario.ts";
import { sql } from "../content/sql.ts";
import { support } from "../content/support.ts";

/** An agent with traffic in the sample project. */
export interface DemoAgent {
  name: string;
  /** The OpenTelemetry scope of its spans; ingest reads the framework from it. */
  scope: string;
  version: string;
  provider: string;
  /** Drawn with these weights. */
  models: readonly (readonly [model: string, weight: number])[];
  scenarios: readonly Scenario[];
  /** Its share of all conversations. */
  share: number;
  /** The maximum number of turns in a conversation. */
  turnsMax: number;
  /** Shares of all answers; the rest are good. */
  weakShare: number;
  badShare: number;
  /** Shares of all runs that end in an error, and in which a tool fails and is retried. */
  errorShare: number;
  retryShare: number;
  /** For a run without errors, in milliseconds. */
  medianMs: number;
  /** Including cached ones. */
  promptTokens: number;
  cachedShare: number;
  failures: readonly string[];
}

export const agents: readonly DemoAgent[] = [
  {
    name: "support-agent",
    scope: "openai-agents",
    version: "2.1.0",
    provider: "openai",
    models: [
      ["gpt-5.6-luna", 3],
      ["gpt-5.6-terra", 1],
    ],
    scenarios: support,
    share: 0.33,
    turnsMax: 5,
    weakShare: 0.08,
    badShare: 0.035,
    errorShare: 0.006,
    retryShare: 0.02,
    medianMs: 2_400,
    promptTokens: 2_100,
    cachedShare: 0.55,
    failures: ["The model answered 429: rate limit of 500,000 tokens a minute reached"],
  },
  {
    name: "docs-search",
    scope: "ai",
    version: "0.7.2",
    provider: "openai",
    models: [
      ["gpt-4o-mini", 4],
      ["gemini-2.5-flash", 1],
    ],
    scenarios: docs,
    share: 0.36,
    turnsMax: 2,
    weakShare: 0.07,
    badShare: 0.03,
    errorShare: 0.004,
    retryShare: 0.01,
    medianMs: 1_300,
    promptTokens: 3_400,
    cachedShare: 0.3,
    failures: ["The vector index did not answer within 2 s"],
  },
  {
    name: "refund-agent",
    scope: "langgraph",
    version: "1.4.0",
    provider: "anthropic",
    models: [
      ["claude-sonnet-5", 3],
      ["gpt-5.6-terra", 1],
    ],
    scenarios: refunds,
    share: 0.14,
    turnsMax: 4,
    weakShare: 0.18,
    badShare: 0.13,
    errorShare: 0.05,
    retryShare: 0.06,
    medianMs: 6_200,
    promptTokens: 4_800,
    cachedShare: 0.45,
    failures: [
      "Timeout: issue_refund did not answer within 20 s",
      "Timeout: issue_refund did not answer within 20 s",
      "payments.alder.example answered 502 Bad Gateway",
      "The plan exceeded 12 steps without an answer",
    ],
  },
  {
    name: "sql-analyst",
    scope: "pydantic-ai",
    version: "0.9.1",
    provider: "gcp.gemini",
    models: [
      ["gemini-2.5-pro", 3],
      ["claude-haiku-4-5", 1],
    ],
    scenarios: sql,
    share: 0.13,
    turnsMax: 3,
    weakShare: 0.08,
    badShare: 0.035,
    errorShare: 0.018,
    retryShare: 0.05,
    medianMs: 3_900,
    promptTokens: 5_600,
    cachedShare: 0.6,
    failures: ["canceling statement due to statement timeout", "The model returned no SQL after 3 tries"],
  },
  {
    name: "research-agent",
    scope: "crewai",
    version: "0.3.0",
    provider: "anthropic",
    models: [
      ["claude-opus-5", 3],
      ["qwen3-235b-local", 1],
    ],
    scenarios: research,
    share: 0.04,
    turnsMax: 1,
    weakShare: 0.1,
    badShare: 0.04,
    errorShare: 0.03,
    retryShare: 0.05,
    medianMs: 48_000,
    promptTokens: 9_500,
    cachedShare: 0.5,
    failures: ["fetch_page: the host refused the connection (5 tries)"],
  },
];
