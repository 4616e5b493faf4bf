import { AppError, isJsonObject, type JsonMember, type JsonObject, lastText, membersOf } from "@touchstone/service-kit";
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
  const members = membersOf(body.text);
  const own = members.filter(({ name }) => name === "name" || name === "description");
  const offline = readSection(body.value, members, "offline");
  return {
    members: [
      ...own,
      ...pick(readSection(body.value, members, "judge"), judgeMembers),
      ...pick(offline, offlineMembers),
    ],
    isDefault: readIsDefault(offline.value.isDefault),
    online: body.value.online,
  };
}

/** A section that is absent or null changes nothing. */
function readSection(
  value: JsonObject["value"],
  members: readonly JsonMember[],
  name: "judge" | "offline",
): JsonObject {
  const section = value[name];
  if (section === undefined || section === null) return { text: "{}", value: {} };
  if (!isJsonObject(section)) throw new AppError("bad_request", `${name} must be an object`);
  return { text: lastText(members, name) as string, value: section };
}

function pick({ text }: JsonObject, names: readonly string[]): JsonMember[] {
  return membersOf(text).filter(({ name }) => names.includes(name));
}
