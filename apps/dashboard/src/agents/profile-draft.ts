import type { Agent } from "../blocks/watching-queries.ts";
import { isWithin, percentOf, shareOfPercent } from "../ui/format.ts";

/** An agent's monitoring settings in the form. */
export interface ProfileDraft {
  enabled: boolean;
  failureDetectionEnabled: boolean;
  infoDetectionEnabled: boolean;
  samplePercent: string;
  /** One a line. */
  channels: string;
}

/** An agent without settings has the API's defaults: everything on, all traces. */
export function draftOfProfile(profile: Agent["monitoringProfile"]): ProfileDraft {
  return {
    enabled: profile?.enabled ?? true,
    failureDetectionEnabled: profile?.failureDetectionEnabled ?? true,
    infoDetectionEnabled: profile?.infoDetectionEnabled ?? true,
    samplePercent: String(percentOf(profile?.sampleRate ?? 1)),
    channels: (profile?.channels ?? []).join("\n"),
  };
}

/**
 * The changes without those that are as in `settled`, the settings that are stored or were sent. What is not changed
 * follows the stored settings, which other users change, too.
 */
export function changesBeside(changes: Partial<ProfileDraft>, settled: ProfileDraft): Partial<ProfileDraft> {
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => value !== settled[name as keyof ProfileDraft]),
  );
}

const channelsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Only the members that were changed: the others keep their exact values, or go on with the project's defaults. */
export function bodyOfProfile({ samplePercent, channels, ...flags }: ProfileDraft, stored: ProfileDraft) {
  const changed = Object.entries(flags).filter(([name, isOn]) => isOn !== stored[name as keyof typeof flags]);
  return {
    ...(Object.fromEntries(changed) as Partial<typeof flags>),
    ...(samplePercent !== stored.samplePercent && { sampleRate: shareOfPercent(samplePercent) }),
    ...(channels !== stored.channels && { channels: channelsOf(channels) }),
  };
}

/** The errors that prevent saving, as text, by field. */
export function mistakesOfProfile({ samplePercent, channels }: ProfileDraft): { percent?: string; channels?: string } {
  const wrong = channelsOf(channels).find((line) => !/^webhook:https?:\/\/\S+$/.test(line));
  return {
    ...(!isWithin(samplePercent, 0, 100) && { percent: "A percentage from 0 to 100." }),
    ...(wrong !== undefined && { channels: `${wrong} is no channel: write webhook: and an address.` }),
  };
}
