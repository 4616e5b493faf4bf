import type { operations } from "../api/schema.gen.d.ts";
import type { Severity } from "../blocks/severities.ts";
import { isWithin, percentOf, shareOfPercent } from "../ui/format.ts";
import type { Group } from "./queries.ts";

export type MemberKind = Group["members"][number]["kind"];

export interface MemberDraft {
  kind: MemberKind;
  refId: string;
  /** As typed. */
  weight: string;
  gate: boolean;
}

/** A group as the form holds it; numbers are raw text. */
export interface GroupDraft {
  name: string;
  description: string;
  members: MemberDraft[];
  live: "no" | "paused" | "yes";
  samplePercent: string;
  /** Empty: it never raises a signal. */
  alertThreshold: string;
  severity: Severity;
}

export const emptyGroup: GroupDraft = {
  name: "",
  description: "",
  members: [],
  live: "no",
  samplePercent: "100",
  alertThreshold: "5",
  severity: "medium",
};

export function draftOfGroup({ name, description, members, online }: Group): GroupDraft {
  return {
    ...emptyGroup,
    name,
    description: description ?? "",
    members: members.map(({ weight, ...member }) => ({ ...member, weight: String(weight) })),
    ...(online !== null && {
      live: online.enabled ? "yes" : "paused",
      samplePercent: String(percentOf(online.sampleRate)),
      alertThreshold: online.alertThreshold === null ? "" : String(online.alertThreshold),
      severity: online.severity,
    }),
  };
}

type Sent = operations["createScorerGroup"]["requestBody"]["content"]["application/json"];

export function bodyOfGroup({ name, description, members, ...live }: GroupDraft): Sent {
  return {
    name: name.trim(),
    description: description.trim() === "" ? null : description.trim(),
    members: members.map(({ weight, ...member }) => ({ ...member, weight: Number(weight) })),
    online:
      live.live === "no"
        ? null
        : {
            enabled: live.live === "yes",
            sampleRate: shareOfPercent(live.samplePercent),
            alertThreshold: live.alertThreshold.trim() === "" ? null : Number(live.alertThreshold),
            severity: live.severity,
          },
  };
}

/** The missing parts that prevent saving, in words. */
export function missingOfGroup({ name, members, live, samplePercent, alertThreshold }: GroupDraft): string | undefined {
  if (name.trim() === "") return "Give it a name.";
  if (members.length === 0) return "A group needs a member.";
  if (members.some(({ weight }) => weight.trim() === "" || !(Number(weight) >= 0))) {
    return "A weight is a number from 0.";
  }
  if (members.every(({ weight, gate }) => Number(weight) === 0 && !gate)) return "Give a member a weight above 0.";
  if (live === "no") return undefined;
  if (!isWithin(samplePercent, 0, 100)) return "A share is between 0 and 100 percent.";
  const isThreshold = alertThreshold.trim() === "" || isWithin(alertThreshold, 0, 10);
  return isThreshold ? undefined : "A threshold is between 0 and 10, or nothing.";
}
