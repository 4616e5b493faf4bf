import type { operations } from "../api/schema.gen.d.ts";
import type { Severity } from "../blocks/severities.ts";
import { isWithin, percentOf, shareOfPercent } from "../ui/format.ts";

/** A judge as the form holds it: the raw value of every control, so that any input can be kept. */
export interface Draft {
  name: string;
  description: string;
  evaluationCriteria: string;
  acceptanceCriteria: string;
  rejectionCriteria: string;
  judgePrompt: string;
  /** Empty: the installation's default. */
  judgeModel: string;
  toolContext: "none" | "simple" | "detailed";
  requiresExpected: boolean;
  /** Whether it has a live profile, and whether that profile is active. */
  live: "no" | "paused" | "yes";
  /** In percent, as typed. */
  samplePercent: string;
  /** Empty: it never raises a signal. */
  alertThreshold: string;
  severity: Severity;
  scope: "trace" | "session";
  idleSeconds: string;
  /** Empty: all agents. */
  agentIds: string[];
}

interface StoredJudge {
  name: string;
  description?: string | undefined;
  judge: Partial<Omit<Draft, "name" | "description">>;
  online: {
    enabled: boolean;
    sampleRate: number;
    alertThreshold: number | null;
    severity: Draft["severity"];
    scope: Draft["scope"];
    idleSeconds: number;
    scopeMode: "all" | "selected";
    agentIds: readonly string[];
  } | null;
}

export const emptyDraft: Draft = {
  name: "",
  description: "",
  evaluationCriteria: "",
  acceptanceCriteria: "",
  rejectionCriteria: "",
  judgePrompt: "",
  judgeModel: "",
  toolContext: "simple",
  requiresExpected: false,
  live: "no",
  samplePercent: "10",
  alertThreshold: "5",
  severity: "medium",
  scope: "trace",
  idleSeconds: "120",
  agentIds: [],
};

/** The initial form for a stored judge. */
export function draftOf({ name, description, judge, online }: StoredJudge): Draft {
  const texts = ["evaluationCriteria", "acceptanceCriteria", "rejectionCriteria", "judgePrompt", "judgeModel"] as const;
  return {
    ...emptyDraft,
    name,
    description: description ?? "",
    ...Object.fromEntries(texts.map((key) => [key, judge[key] ?? ""])),
    toolContext: judge.toolContext ?? "simple",
    requiresExpected: judge.requiresExpected ?? false,
    ...(online !== null && {
      live: online.enabled ? ("yes" as const) : ("paused" as const),
      samplePercent: String(percentOf(online.sampleRate)),
      alertThreshold: online.alertThreshold === null ? "" : String(online.alertThreshold),
      severity: online.severity,
      scope: online.scope,
      idleSeconds: String(online.idleSeconds),
      agentIds: online.scopeMode === "selected" ? [...online.agentIds] : [],
    }),
  };
}

/** The errors in a draft, by control. Errors that only the API can detect are left to the API. */
export function mistakesOf(draft: Draft): Partial<Record<keyof Draft, string>> {
  const mistakes: Partial<Record<keyof Draft, string>> = {};
  if (draft.name.trim() === "") mistakes.name = "A judge needs a name.";
  if (draft.live === "no") return mistakes;
  if (!isWithin(draft.samplePercent, 0, 100)) mistakes.samplePercent = "A share between 0 and 100.";
  if (draft.alertThreshold.trim() !== "" && !isWithin(draft.alertThreshold, 0, 10)) {
    mistakes.alertThreshold = "A rating between 0 and 10, or nothing.";
  }
  if (
    draft.scope === "session" &&
    !(isWithin(draft.idleSeconds, 1, 86_400) && Number.isInteger(Number(draft.idleSeconds)))
  ) {
    mistakes.idleSeconds = "Whole seconds between 1 and 86,400.";
  }
  if (draft.requiresExpected) {
    mistakes.requiresExpected = "Live traffic has no expected results: this judge can rate runs only.";
  }
  return mistakes;
}

type Sent = NonNullable<operations["updateJudgeScorer"]["requestBody"]>["content"]["application/json"];

/** The draft as the API accepts it. An empty text removes the member; `live: "no"` detaches. */
export function bodyOfDraft(draft: Draft): Sent & { name: string } {
  const text = (value: string): string | null => (value.trim() === "" ? null : value);
  return {
    name: draft.name.trim(),
    description: text(draft.description),
    judge: {
      evaluationCriteria: text(draft.evaluationCriteria),
      acceptanceCriteria: text(draft.acceptanceCriteria),
      rejectionCriteria: text(draft.rejectionCriteria),
      judgePrompt: text(draft.judgePrompt),
      judgeModel: text(draft.judgeModel),
      toolContext: draft.toolContext,
      requiresExpected: draft.requiresExpected,
    },
    online: draft.live === "no" ? null : onlineOf(draft),
  };
}

function onlineOf(draft: Draft): NonNullable<Sent["online"]> {
  return {
    enabled: draft.live === "yes",
    sampleRate: shareOfPercent(draft.samplePercent),
    alertThreshold: draft.alertThreshold.trim() === "" ? null : Number(draft.alertThreshold),
    severity: draft.severity,
    scope: draft.scope,
    idleSeconds: Number(draft.idleSeconds) || 120,
    scopeMode: draft.agentIds.length > 0 ? "selected" : "all",
    agentIds: draft.agentIds,
  };
}

const liveMembers = [
  "live",
  "samplePercent",
  "alertThreshold",
  "severity",
  "scope",
  "idleSeconds",
  "agentIds",
] as const;

/** Whether saving the draft creates a new version. The judge's prompt is versioned; the settings of its use are not. */
export function makesVersion(before: Draft, after: Draft): boolean {
  const readOf = (draft: Draft): unknown =>
    Object.fromEntries(Object.entries(draft).filter(([key]) => !(liveMembers as readonly string[]).includes(key)));
  return JSON.stringify(readOf(before)) !== JSON.stringify(readOf(after));
}
