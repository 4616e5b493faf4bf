import { AppError } from "@touchstone/service-kit";
import type { Role } from "../accounts/membership-store.ts";
import type { Place } from "./locked-organization-reader.ts";

/** A role that can be given to members. */
export type GivenRole = "admin" | "member";

/** 404 for an unknown organization and for another user's alike. */
export function organizationNotFound(): AppError {
  return new AppError("not_found", "Organization not found");
}

/** True if a role may invite and remove members. */
export function administers(role: Role): boolean {
  return role === "owner" || role === "admin";
}

/** Throws 404 for a user without membership, and 403 with the sentence for a role that is not listed. */
export function requireRole(place: Place | null, roles: readonly Role[], refusal: string): Place {
  if (place === null) throw organizationNotFound();
  if (!roles.includes(place.role)) throw new AppError("forbidden", refusal);
  return place;
}
