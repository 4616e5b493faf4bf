import { BusError } from "./bus-error.ts";

/** Throws `too_large` for a message above the server's limit. Nothing is ever truncated. */
export function refuseOversize(subject: string, bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new BusError("too_large", "The message is larger than the bus carries", { subject, bytes, limit });
}
