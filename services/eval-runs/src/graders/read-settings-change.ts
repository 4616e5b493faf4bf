import type { JsonObject } from "@touchstone/service-kit";
import { AppError } from "@touchstone/service-kit";
import { membersOf } from "../json/json-text.ts";
import type { ConfigChange } from "./config-book.ts";

/** The body of a create or an update of evaluation settings: flat, without a live profile. */
export function readSettingsChange({ text, value }: JsonObject): ConfigChange {
  return { members: membersOf(text), isDefault: readIsDefault(value.isDefault), online: undefined };
}

/** Undefined = not said. */
export function readIsDefault(isDefault: unknown): boolean | undefined {
  if (isDefault === undefined || isDefault === null) return undefined;
  if (typeof isDefault !== "boolean") throw new AppError("bad_request", "isDefault must be a boolean");
  return isDefault;
}
