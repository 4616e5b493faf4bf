import { isStorable, limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { ProfileDocument } from "./profile.ts";

type Sent = Readonly<Record<string, unknown>>;

const refuse = (sentence: string): never => {
  throw new AppError("bad_request", sentence);
};

/**
 * The new content of a profile: sent members, else stored ones; objects are merged. Members that the project decides (topics,
 * coverage, retention) are checked and not stored. Throws `bad_request` for the first error (completions 9.2).
 */
export function composeProfile(sent: Sent, stored: ProfileDocument): ProfileDocument {
  for (const member of [
    "enabled",
    "failureDetectionEnabled",
    "infoDetectionEnabled",
    "topicsEnabled",
    "pausedForCredits",
  ]) {
    const value = sent[member];
    if (value !== undefined && typeof value !== "boolean") refuse(`${member} must be a boolean`);
  }
  const { sampleRate, coverageMode, retentionDays, channels, billingMode } = sent;
  if (sampleRate !== undefined && !(typeof sampleRate === "number" && sampleRate >= 0 && sampleRate <= 1)) {
    refuse("sampleRate must be a number between 0 and 1");
  }
  if (coverageMode !== undefined && coverageMode !== "all" && coverageMode !== "sampled") {
    refuse("coverageMode must be one of: all, sampled");
  }
  if (retentionDays !== undefined && typeof retentionDays !== "number") refuse("retentionDays must be a number");
  if (billingMode !== undefined && !(typeof billingMode === "string" && isShort(billingMode))) {
    refuse("billingMode must be a string");
  }
  if (channels !== undefined && !isTexts(channels)) refuse("channels must be an array of strings");
  if (Array.isArray(channels) && channels.length > limits.profileChannelsMax) {
    refuse(`channels must have at most ${limits.profileChannelsMax} entries`);
  }
  const kept = pick(sent, [
    "enabled",
    "failureDetectionEnabled",
    "infoDetectionEnabled",
    "sampleRate",
    "channels",
    "billingMode",
    "pausedForCredits",
  ]);
  return {
    ...stored,
    ...(kept as ProfileDocument),
    ...mergeObject("thresholdOverrides", sent, stored.thresholdOverrides),
    ...mergeObject("approvalPolicy", sent, stored.approvalPolicy),
  };
}

const objectMaxChars = 16_000;

function mergeObject(
  member: "thresholdOverrides" | "approvalPolicy",
  sent: Sent,
  stored: ProfileDocument["approvalPolicy"],
): ProfileDocument {
  const value = sent[member];
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(`${member} must be an object`);
  const merged = { ...stored, ...(value as Record<string, never>) };
  const text = JSON.stringify(merged);
  if (text.length > objectMaxChars) refuse(`${member} must have at most ${objectMaxChars} characters of JSON`);
  // As JSON text any content can be stored.
  return { [member]: merged };
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string" && isShort(each));
}

function isShort(text: string): boolean {
  return text.length <= 2_000 && isStorable(text);
}

function pick(sent: Sent, members: readonly string[]): Sent {
  return Object.fromEntries(
    members.flatMap((member) => (sent[member] === undefined ? [] : [[member, sent[member]] as const])),
  );
}
