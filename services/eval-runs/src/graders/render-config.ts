import { type JsonMember, membersOf, objectTexts } from "@touchstone/service-kit";
import { judgeMembers, offlineMembers } from "./config-document.ts";
import type { ConfigVersion, StoredConfig } from "./config-store.ts";

/** A grading config as evaluation settings (completions 4.1): JSON in texts that follow one another. */
export function renderSettings({ id, document, isDefault, createdAt }: StoredConfig): string[] {
  return objectTexts([
    member("_id", id),
    ...membersOf(document),
    member("isDefault", isDefault),
    member("status", "published"),
    member("createdAt", createdAt),
  ]);
}

/** The same config as a judge scorer, in sections (completions 4.2). */
export function renderJudgeScorer(config: StoredConfig): string[] {
  const texts = new Map(membersOf(config.document).map(({ name, valueText }) => [name, valueText]));
  const pick = (names: readonly string[]): JsonMember[] =>
    names.flatMap((name) => {
      const valueText = texts.get(name);
      return valueText === undefined ? [] : [{ name, valueText }];
    });
  const offline = [...pick(offlineMembers), member("isDefault", config.isDefault), member("status", "published")];
  return objectTexts([
    member("_id", config.id),
    ...pick(["name", "description"]),
    member("seeded", config.seedKey !== null),
    { name: "judge", valueText: objectTexts(pick(judgeMembers)) },
    { name: "offline", valueText: objectTexts(offline) },
    member("online", config.online),
    member("createdAt", config.createdAt),
    member("version", config.version),
    member("versionCount", config.versionCount),
  ]);
}

/** One version. Versions made with a project key have no author. */
export function renderConfigVersion(configId: string, version: ConfigVersion): string[] {
  return objectTexts([
    member("_id", versionId(configId, version.version)),
    member("versionNumber", version.version),
    member("changeSummary", version.changeSummary),
    { name: "snapshot", valueText: version.document },
    member("createdAt", version.createdAt),
    member("creator", null),
  ]);
}

/** A version's id: its config's id and its number. */
function versionId(configId: string, version: number): string {
  return `${configId}:${version}`;
}

/** The version's number, or null when the id is not one of the config's. */
export function readVersionId(configId: string, id: string): number | null {
  const number = /^(.*):([1-9]\d{0,8})$/.exec(id);
  return number !== null && number[1] === configId ? Number(number[2]) : null;
}

function member(name: string, value: unknown): JsonMember {
  return { name, valueText: JSON.stringify(value) };
}
