import { accountOriginHeader, clientAddressHeader } from "@touchstone/contracts";
import { AppError, type Handler, isAppError, pickHeaders } from "@touchstone/service-kit";
import type { Accounts } from "../accounts/accounts.ts";

/** Any route of the sign-in family: this checks that the body is JSON, the accounts library checks everything else. */
export function answerAccountRoute({ accounts }: { accounts: Accounts }, { method, path }: AccountRoute): Handler {
  return async (call) => {
    const origin = call.headers[accountOriginHeader];
    if (typeof origin !== "string") throw new AppError("service_unavailable", "The gateway is of another version.");
    let body: string | null = null;
    if (method === "POST") {
      try {
        body = JSON.stringify((await call.json()) ?? {});
      } catch (thrown) {
        if (!isAppError(thrown) || thrown.code !== "body_unreadable") throw thrown;
        return { status: 400, body: { message: thrown.message, code: "BAD_REQUEST" } };
      }
    }
    const address = call.headers[clientAddressHeader];
    return accounts.answer({
      method,
      path: pathOf(path, call.params, call.identity.path),
      origin,
      headers: {
        ...pickHeaders(call.headers, ["cookie", "user-agent", "origin", "referer"]),
        ...(typeof address === "string" && { "x-forwarded-for": address }),
      },
      body,
      requestId: call.identity.requestId,
    });
  };
}

interface AccountRoute {
  method: string;
  path: string;
}

/** The route's canonical path with its parameter, and the original query: aliases and odd spellings are replaced. */
function pathOf(path: string, params: Readonly<Record<string, string>>, asked: string): string {
  const named = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(params[name] ?? ""));
  const question = asked.indexOf("?");
  return question < 0 ? named : named + asked.slice(question);
}
