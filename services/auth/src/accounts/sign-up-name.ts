import { routes } from "@touchstone/contracts";
import { type Answer, isAppError, parseBody } from "@touchstone/service-kit";

/**
 * The library's request for a sign-up, with its name as renaming would store it, or an error; null for any other
 * request. The library stores names of any form, and a picture's address that this API does not offer.
 */
export function translateSignUp(request: {
  method: string;
  path: string;
  body: string | null;
}): { path: string; body: string } | Answer | null {
  const { method, path, body } = request;
  if (method !== "POST" || path.split("?")[0] !== routes.signUp.path) return null;
  const fields = JSON.parse(body ?? "{}") as { name?: unknown } | null;
  // The library refuses a name that is not text, with all other missing and wrong fields.
  if (typeof fields?.name !== "string") return null;
  try {
    const { name } = parseBody({ name: fields.name }, routes.renameAccount.body);
    return { path, body: JSON.stringify({ ...fields, name, image: undefined }) };
  } catch (thrown) {
    if (!isAppError(thrown)) throw thrown;
    return { status: 400, body: { code: "VALIDATION_ERROR", message: `[body.name] ${thrown.message}` } };
  }
}
