import type { Agent } from "../blocks/watching-queries.ts";

/** How an agent is watched, as somebody writes it. */
export interface ProfileDraft {
  enabled: boolean;
  failureDetectionEnabled: boolean;
  infoDetectionEnabled: boolean;
  samplePercent: string;
  /** One a line. */
  channels: string;
}

/** An agent that nobody has set up is watched as the API would: everything on, all traces. */
export function draftOfProfile(profile: Agent["monitoringProfile"]): ProfileDraft {
  return {
    enabled: profile?.enabled ?? true,
    failureDetectionEnabled: profile?.failureDetectionEnabled ?? true,
    infoDetectionEnabled: profile?.infoDetectionEnabled ?? true,
    samplePercent: String(Math.round((profile?.sampleRate ?? 1) * 10_000) / 100),
    channels: (profile?.channels ?? []).join("\n"),
  };
}

const channelsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export function bodyOfProfile({ samplePercent, channels, ...plain }: ProfileDraft) {
  return { ...plain, sampleRate: Number(samplePercent) / 100, channels: channelsOf(channels) };
}

/** What cannot be saved yet, in words, by the field it stands in. */
export function mistakesOfProfile({ samplePercent, channels }: ProfileDraft): { percent?: string; channels?: string } {
  const percent = Number(samplePercent);
  const isPercent = samplePercent.trim() !== "" && percent >= 0 && percent <= 100;
  const wrong = channelsOf(channels).find((line) => !/^webhook:https?:\/\/\S+$/.test(line));
  return {
    ...(!isPercent && { percent: "A percentage from 0 to 100." }),
    ...(wrong !== undefined && { channels: `${wrong} is no channel: write webhook: and an address.` }),
  };
}
