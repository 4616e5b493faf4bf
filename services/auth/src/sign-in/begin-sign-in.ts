import type { Answer } from "@touchstone/service-kit";
import { z } from "zod";

const asked = {
  "/auth/sign-in/social": { field: "provider", providers: ["google", "github"] },
  "/auth/sign-in/oauth2": { field: "providerId", providers: ["oidc"] },
} as const;

/**
 * The library's request for a request that begins a sign-in by a provider, or an error; null for any other request. The
 * library accepts more than this API offers: client-supplied tokens, scopes and parameters. Only the members listed
 * here reach it.
 */
export function translateBeginning(
  request: { method: string; path: string; body: string | null },
  { offered, home }: { offered: readonly string[]; home: string },
): { path: string; body: string } | Answer | null {
  const [path, kind] =
    Object.entries(asked).find(([suffix]) => request.path.split("?")[0] === `/api/v1${suffix}`) ?? [];
  if (path === undefined || kind === undefined || request.method !== "POST") return null;
  const body = z.object({ [kind.field]: z.string(), callbackURL: z.string().optional() });
  const { data, error } = body.safeParse(JSON.parse(request.body ?? "{}"));
  if (error) {
    const [issue] = error.issues;
    return refusal(400, "VALIDATION_ERROR", `[body.${issue?.path.join(".") ?? ""}] ${issue?.message}`);
  }
  const provider = data[kind.field] as string;
  if (!(kind.providers as readonly string[]).includes(provider) || !offered.includes(provider)) {
    return refusal(404, "PROVIDER_NOT_FOUND", "Provider not found");
  }
  const callbackURL = (data.callbackURL as string | undefined) || home;
  return {
    path: "/api/v1/auth/sign-in/social",
    // Errors are shown on the page that the user wanted to reach. The provider is stored with the state:
    // `requireOwnSignIn`.
    body: JSON.stringify({ provider, callbackURL, errorCallbackURL: callbackURL, additionalData: { provider } }),
  };
}

function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } };
}
