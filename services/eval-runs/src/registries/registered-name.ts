import { isStorable, limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/**
 * Reads the name of a prompt or a tool schema: it is used in queries, so it contains no character that PostgreSQL rejects.
 */
export function readRegisteredName(name: unknown): string {
  if (typeof name !== "string" || name.trim() === "") throw new AppError("bad_request", "name is required");
  const most = limits.registryNameMaxChars;
  if (name.length > most || !isStorable(name)) {
    throw new AppError("bad_request", `name must be plain text of at most ${most} characters`);
  }
  return name;
}

/** Reads an optional text. */
export function readOptionalText(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw new AppError("bad_request", `${name} must be a string`);
  return value;
}
