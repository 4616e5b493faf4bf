import type { JudgedTrace, LiveGroup, LiveJudge, Verdict } from "@touchstone/contracts";

export const scorerId = "019a2f6e-1c2d-7e3f-8a4b-5c6d7e8f9012";
export const rubric = {
  id: scorerId,
  name: "Tone",
  model: null,
  acceptanceCriteria: "Polite.",
  rejectionCriteria: null,
  evaluationCriteria: null,
  requiresExpected: false,
  judgePrompt: null,
  toolContext: "simple" as const,
};
const profile = {
  enabled: true,
  sampleRate: 1,
  alertThreshold: 5,
  severity: "high" as const,
  scope: "trace" as const,
  idleSeconds: 120,
};
export const buildJudge = (overrides: Partial<LiveJudge> = {}): LiveJudge => ({
  ...profile,
  profileId: "p1",
  scorerId,
  name: "Tone",
  version: 3,
  rubric,
  scopeMode: "all",
  agentIds: [],
  ...overrides,
});
export const buildGroup = (overrides: Partial<LiveGroup> = {}): LiveGroup => ({
  ...profile,
  groupId: "g1",
  name: "All",
  members: [{ kind: "judge", refId: scorerId, weight: 1, gate: false }],
  rubrics: [rubric],
  ...overrides,
});
export const buildVerdict = (overrides: Partial<Verdict> = {}): Verdict => ({
  verdictId: null,
  judgeId: scorerId,
  status: "scored",
  rating: 8,
  justification: "Fine.",
  reason: null,
  model: "m",
  durationMs: 1,
  source: "live",
  ...overrides,
});
export const skippedFor = (reason: Verdict["reason"], justification: string): Verdict =>
  buildVerdict({ status: "skipped", rating: null, reason, justification, source: null });

export const buildTrace = (overrides: Partial<JudgedTrace>): JudgedTrace => ({
  traceId: "",
  name: "weather-agent",
  agentId: null,
  input: "How is the weather?",
  output: "None of your business.",
  error: null,
  model: null,
  latencyMs: 1,
  inputTokens: null,
  outputTokens: null,
  trajectory: { steps: [], omittedSteps: 0, toolCalls: [], toolDefinitions: [] },
  retrieval: null,
  ...overrides,
});
