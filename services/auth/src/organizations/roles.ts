import { AppError } from "@touchstone/service-kit";
import type { Role } from "../accounts/membership-store.ts";
import type { Place } from "./lock-organization.ts";

/** 404: none, or one of others; they sound alike. */
export function organizationNotFound(): AppError {
  return new AppError("not_found", "Organization not found");
}

/** Whether a role invites and removes members. */
export function administers(role: Role): boolean {
  return role === "owner" || role === "admin";
}

/** Throws 404 for who is not in the organization, and 403 with the sentence for whose role is not one of these. */
export function requireRole(place: Place | null, roles: readonly Role[], refusal: string): Place {
  if (place === null) throw organizationNotFound();
  if (!roles.includes(place.role)) throw new AppError("forbidden", refusal);
  return place;
}
