import { AppError, type Call } from "@touchstone/service-kit";
import { actOf } from "../audit/audit-event-store.ts";
import type { Administrator } from "../organizations/organization-store.ts";

/** The signed-in user. Throws 401 `Sign in first` (completions 12.4). */
export function requireUser({ identity }: Call): Administrator {
  if (identity.userId === null) throw new AppError("unauthorized", "Sign in first");
  return { userId: identity.userId, act: actOf(identity) };
}

/** The members of a JSON body; none if it is not an object. */
export function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
}
