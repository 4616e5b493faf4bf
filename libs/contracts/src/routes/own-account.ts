import { doneReply } from "../http/organizations.ts";
import {
  accountDeletion,
  accountReply,
  accountSessionList,
  accountSessionParams,
  renamedAccount,
} from "../http/own-account.ts";
import { givenNameSentences } from "../http/texts.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { checkedBody, error, prefix, small } from "./route-parts.ts";

const ownRoute = {
  owner: "auth",
  authentication: ["session"],
  rateGroup: "credential",
  envelope: "standard",
  deadlineMs: deadlines.gatewayHopMs,
  section: "completions 12.3",
} as const;

const own = `${prefix}/auth-org/account`;

/** What users read and change in their own account, where accounts are enabled. */
export const ownAccountRoutes = {
  readAccount: {
    ...ownRoute,
    id: "readAccount",
    method: "GET",
    path: own,
    responses: { 200: { description: "The caller's account.", schema: accountReply } },
    summary: "Read the account of who is signed in.",
  },
  renameAccount: {
    ...ownRoute,
    id: "renameAccount",
    method: "PATCH",
    path: own,
    body: judged(small(renamedAccount), givenNameSentences),
    responses: { 200: { description: "The account under its new name.", schema: accountReply }, ...checkedBody },
    summary: "Change the name of who is signed in.",
  },
  deleteAccount: {
    ...ownRoute,
    id: "deleteAccount",
    method: "DELETE",
    path: own,
    addressRateGroup: "projectDeletion",
    body: small(accountDeletion),
    responses: {
      200: { description: "The account, its sessions and its memberships are gone.", schema: doneReply },
      ...checkedBody,
      409: error("The caller owns an organization, which has to be deleted first."),
    },
    summary: "Delete the account of who is signed in.",
  },
  listAccountSessions: {
    ...ownRoute,
    id: "listAccountSessions",
    method: "GET",
    path: `${own}/sessions`,
    responses: { 200: { description: "Where the caller is signed in.", schema: accountSessionList } },
    summary: "List the sessions of who is signed in.",
  },
  endAccountSession: {
    ...ownRoute,
    id: "endAccountSession",
    method: "DELETE",
    path: `${own}/sessions/{sessionId}`,
    params: accountSessionParams,
    responses: {
      200: { description: "It opens nothing any more.", schema: doneReply },
      404: error("No such session of the caller."),
    },
    summary: "End a session of who is signed in.",
  },
} as const satisfies Record<string, Route>;
