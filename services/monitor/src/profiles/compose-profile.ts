import { type changedProfile, limits, profileSentences } from "@touchstone/contracts";
import { AppError, type Parsed } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ProfileDocument } from "./profile.ts";

type Sent = Parsed<z.output<typeof changedProfile>>;

/**
 * The new content of a profile: sent members, else stored ones; objects are merged. Members that the project decides (topics,
 * coverage, retention) are not stored. Throws `bad_request` for a merged object that is too large (completions 9.2).
 */
export function composeProfile(
  { topicsEnabled: _topics, coverageMode: _coverage, retentionDays: _days, ...sent }: Sent,
  stored: ProfileDocument,
): ProfileDocument {
  return {
    ...stored,
    ...(sent as ProfileDocument),
    ...mergeObject("thresholdOverrides", sent, stored),
    ...mergeObject("approvalPolicy", sent, stored),
  };
}

function mergeObject(
  member: "thresholdOverrides" | "approvalPolicy",
  sent: Sent,
  stored: ProfileDocument,
): ProfileDocument {
  if (sent[member] === undefined) return {};
  // As JSON text any content can be stored.
  const merged = { ...stored[member], ...(sent[member] as Record<string, never>) };
  if (JSON.stringify(merged).length > limits.profileObjectMaxChars) {
    throw new AppError("bad_request", profileSentences[member].custom);
  }
  return { [member]: merged };
}
