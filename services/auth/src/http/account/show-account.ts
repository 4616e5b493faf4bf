import { type Answer, AppError } from "@touchstone/service-kit";
import type { OwnAccount } from "../../accounts/own-account-store.ts";

/** The caller's account. Throws 401 when it was deleted meanwhile. */
export function showAccount(account: OwnAccount | null): Answer {
  const { id, ...rest } = requireAccount(account);
  return { status: 200, headers: { "cache-control": "no-store" }, body: { account: { _id: id, ...rest } } };
}

export function requireAccount(account: OwnAccount | null): OwnAccount {
  if (account === null) throw new AppError("unauthorized", "Sign in first");
  return account;
}
