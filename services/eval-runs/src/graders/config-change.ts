import { AppError, isJsonObject, type JsonObject } from "@touchstone/service-kit";
import { type JsonMember, membersOf, memberText } from "../json/json-text.ts";
import type { ConfigChange } from "./config-book.ts";
import { judgeMembers, offlineMembers } from "./config-document.ts";

/** The body of a create or an update of evaluation settings: flat, without a live profile. */
export function readSettingsChange({ text, value }: JsonObject): ConfigChange {
  return { members: membersOf(text), isDefault: readIsDefault(value.isDefault), online: undefined };
}

/** Undefined = not sent. */
function readIsDefault(isDefault: unknown): boolean | undefined {
  if (isDefault === undefined || isDefault === null) return undefined;
  if (typeof isDefault !== "boolean") throw new AppError("bad_request", "isDefault must be a boolean");
  return isDefault;
}

/** The body of a create or an update of a judge scorer: its sections are flattened (completions 4.2). */
export function readJudgeScorerChange(body: JsonObject): ConfigChange {
  const own = membersOf(body.text).filter(({ name }) => name === "name" || name === "description");
  const offline = readSection(body, "offline");
  return {
    members: [...own, ...pick(readSection(body, "judge"), judgeMembers), ...pick(offline, offlineMembers)],
    isDefault: readIsDefault(offline.value.isDefault),
    online: body.value.online,
  };
}

/** A section that is absent or null changes nothing. */
function readSection({ text, value }: JsonObject, name: "judge" | "offline"): JsonObject {
  const section = value[name];
  if (section === undefined || section === null) return { text: "{}", value: {} };
  if (!isJsonObject(section)) throw new AppError("bad_request", `${name} must be an object`);
  return { text: memberText(text, name) as string, value: section };
}

function pick({ text }: JsonObject, names: readonly string[]): JsonMember[] {
  return membersOf(text).filter(({ name }) => names.includes(name));
}
