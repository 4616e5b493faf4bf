import type { SettledTrace } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import type { ExportedVerdict } from "../src/verdicts/otlp-export/exported-verdict.ts";

/** A trace that settled just now; a new one in a new project by default. */
export const buildSettledTrace = (overrides: Partial<SettledTrace> = {}): SettledTrace => ({
  projectId: crypto.randomUUID(),
  traceId: uuidv7(Date.now()),
  agentId: null,
  name: "weather-agent",
  createdAt: new Date().toISOString(),
  trafficSource: null,
  monitor: null,
  patternIds: null,
  sessionId: null,
  framework: null,
  model: null,
  latencyMs: 12,
  hasError: false,
  isOutputEmpty: false,
  failedTools: [],
  toolCalls: 0,
  ...overrides,
});

/** A verdict to be exported, in a new project by default. */
export const buildExportedVerdict = (overrides: Partial<ExportedVerdict> = {}): ExportedVerdict => ({
  projectId: crypto.randomUUID(),
  verdictId: crypto.randomUUID(),
  traceId: crypto.randomUUID(),
  otel: null,
  sessionId: null,
  agentId: crypto.randomUUID(),
  runId: null,
  scorerKind: "judge",
  scorerId: "tone",
  scorerName: "Tone",
  scorerVersion: 3,
  rating: 8,
  threshold: 5,
  failing: false,
  justification: "Ünhöflich. 🙁",
  model: "gpt-5.6-luna",
  givenAt: "2026-01-02T03:04:05.678Z",
  ...overrides,
});
