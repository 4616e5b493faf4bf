import { limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/** The choice in the body of `PUT .../platform-model`: a model's id, or null for the installation's. Throws 400. */
export function readSubmittedPlatformModel(body: unknown): string | null {
  const { model }: { model?: unknown } = typeof body === "object" && body !== null ? body : {};
  if (model === null) return null;
  if (typeof model !== "string" || model.trim() === "") {
    throw new AppError("bad_request", "model must be a model's id, or null");
  }
  if (model.length > limits.indexedTextMaxChars || model.includes("\0") || !model.isWellFormed()) {
    throw new AppError(
      "bad_request",
      `model must be storable text of at most ${limits.indexedTextMaxChars} characters`,
    );
  }
  return model.trim();
}
