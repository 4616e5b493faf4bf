import { BusError } from "./bus-error.ts";

/** Throws `too_large` for a message that the server would not carry. Nothing is ever cut to fit. */
export function refuseOversize(subject: string, bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new BusError("too_large", "The message is larger than the bus carries", { subject, bytes, limit });
}
