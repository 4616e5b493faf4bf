import { AppError, memberValue } from "@touchstone/service-kit";
import { changedMembers, judgeMembers } from "./config-document.ts";
import type { StoredConfig } from "./config-store.ts";
import type { StoredGroup } from "./group-store.ts";

/** The seed of the judge that every project has and cannot delete (completions 4.3). */
export const sessionBaselineKey = "session-baseline";

const rubricMembers: ReadonlySet<string> = new Set(judgeMembers.filter((name) => name !== "requiresExpected"));

/** For the built-in session judge only `online.enabled` and the rubric may change (completions 4.2). */
export function requireBuiltInKept(before: StoredConfig, after: StoredConfig): void {
  if (before.seedKey !== sessionBaselineKey) return;
  const isRubric = changedMembers(before.document, after.document).every((name) => rubricMembers.has(name));
  const online = (config: StoredConfig) => config.online && JSON.stringify({ ...config.online, enabled: true });
  if (isRubric && before.isDefault === after.isDefault && online(before) === online(after)) return;
  throw new AppError("conflict", "Of the built-in session judge only online.enabled and the rubric may change.");
}

/** Live traffic has no expected results, so a judge that requires one cannot judge it, alone or in a group. */
export function requireLiveJudgeable(config: StoredConfig, liveGroups: readonly StoredGroup[]): void {
  if (!requiresExpected(config.document)) return;
  if (config.online !== null) {
    throw new AppError("conflict", "A judge that requires an expected result cannot judge live traffic.");
  }
  const group = liveGroups.find((candidate) => hasMember(candidate, config.id));
  if (group !== undefined) {
    throw new AppError(
      "conflict",
      `A judge that requires an expected result cannot be in the live group "${group.name}".`,
    );
  }
}

/** Refuses to delete the built-in config, and one that judges live traffic. */
export function requireDeletable(
  config: StoredConfig,
  liveGroups: readonly StoredGroup[],
  { withProfile }: { withProfile: boolean },
): void {
  if (config.seedKey === sessionBaselineKey) {
    throw new AppError("conflict", "The built-in session judge cannot be deleted; it can be paused.");
  }
  if (config.online !== null && !withProfile) {
    throw new AppError("conflict", "This grading config is attached to a live scorer - detach it first.");
  }
  const group = liveGroups.find((candidate) => hasMember(candidate, config.id));
  if (group !== undefined) {
    throw new AppError(
      "conflict",
      `This grading config is a member of the live group "${group.name}" - remove it first.`,
    );
  }
}

/** True if a config's judge needs an expected result. */
export function requiresExpected(document: string): boolean {
  return memberValue(document, "requiresExpected") === true;
}

function hasMember(group: StoredGroup, configId: string): boolean {
  return group.members.some(({ kind, refId }) => kind === "judge" && refId === configId);
}
