import type { MonitoringDefaults, MonitorProfile } from "@touchstone/contracts";

/** The sent members of an agent's profile; the rest is default (completions 9.2). */
export type ProfileDocument = Partial<
  Pick<
    MonitorProfile,
    | "enabled"
    | "failureDetectionEnabled"
    | "infoDetectionEnabled"
    | "sampleRate"
    | "thresholdOverrides"
    | "approvalPolicy"
    | "channels"
    | "billingMode"
    | "pausedForCredits"
  >
>;

export interface StoredProfile {
  id: string;
  agentId: string;
  document: ProfileDocument;
  createdAt: Date;
  updatedAt: Date;
}

/** The defaults of a project without settings (completions 9.2). */
export const initialDefaults: MonitoringDefaults = {
  coverageMode: "all",
  sampleRate: 1,
  retentionDays: 30,
  latencyThresholdMs: 20_000,
  topicsEnabled: false,
  topicsSampleRate: 1,
  coherenceSweepEnabled: true,
  enabledBuiltinPatterns: [],
};

/** The effective profile of an agent, or the defaults without one. */
export function profileInForce(
  document: ProfileDocument,
  defaults: MonitoringDefaults,
): Omit<MonitorProfile, "_id" | "agentId" | "workspaceId" | "createdAt" | "updatedAt"> {
  return {
    enabled: document.enabled ?? true,
    failureDetectionEnabled: document.failureDetectionEnabled ?? true,
    infoDetectionEnabled: document.infoDetectionEnabled ?? true,
    topicsEnabled: defaults.topicsEnabled,
    coverageMode: defaults.coverageMode,
    sampleRate: document.sampleRate ?? defaults.sampleRate,
    retentionDays: defaults.retentionDays,
    thresholdOverrides: { latencyMs: defaults.latencyThresholdMs, ...document.thresholdOverrides },
    approvalPolicy: document.approvalPolicy ?? {},
    channels: document.channels ?? [],
    billingMode: document.billingMode ?? "credits",
    pausedForCredits: document.pausedForCredits ?? false,
  };
}

/** A profile as the API shows it. */
export function renderProfile(stored: StoredProfile, defaults: MonitoringDefaults): MonitorProfile {
  return {
    _id: stored.id,
    agentId: stored.agentId,
    workspaceId: "local",
    ...profileInForce(stored.document, defaults),
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}
