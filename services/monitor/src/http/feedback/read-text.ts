import { AppError } from "@touchstone/service-kit";

/** A text that may be left out. Throws 400 for what is none, is longer, or is nothing PostgreSQL can hold. */
export function readText(member: string, value: unknown, maxChars: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" || value.length > maxChars || !value.isWellFormed() || value.includes("\0")) {
    throw new AppError("bad_request", `${member} must be text of at most ${maxChars} characters`);
  }
  return value;
}

/** The same where one without anything in it is as good as none. */
export function readFilledText(member: string, value: unknown, maxChars: number): string | null {
  const text = typeof value === "string" && value.trim() === "" ? null : value;
  return readText(member, text, maxChars);
}
