import type { Organization } from "../shell/account.ts";
import type { Member } from "./queries.ts";

/** Why this role cannot remove a member; null when it can. */
export function whyNotRemove(role: Organization["role"], member: Pick<Member, "role">): string | null {
  if (member.role === "owner") return "Nobody removes the owner.";
  if (role === "member") return "Only an owner or admin may remove members.";
  if (role === "admin" && member.role === "admin") return "Only the owner may remove an admin.";
  return null;
}

/** Why this role cannot change a member's role; null when it can. */
export function whyNotChangeRole(role: Organization["role"], member: Pick<Member, "role">): string | null {
  if (member.role === "owner") return "An organization keeps its owner.";
  return role === "owner" ? null : "Only the owner may change roles.";
}
