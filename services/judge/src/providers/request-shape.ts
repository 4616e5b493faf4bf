import type { ProviderFailure } from "./provider-failure.ts";

/** The two wire APIs a judge can be asked through. */
export type WireApi = "responses" | "chat";

/** How a judge is asked: providers that call themselves compatible differ in exactly these points. */
export interface RequestShape {
  api: WireApi;
  /** How the answer is forced into JSON: by schema, by JSON mode, or only by the prompt. */
  format: "json_schema" | "json_object" | "text";
  /** Whether `temperature: 0` is sent. */
  hasTemperature: boolean;
}

/** The shape to try after a refusal, or null when another shape would not help. Ends after at most four changes. */
export function adaptShape(shape: RequestShape, failure: ProviderFailure): RequestShape | null {
  const { hints } = failure;
  if (failure.kind !== "refused" || hints === null || hints.isAboutModel) return null;
  if (hints.status === 404 || hints.status === 405 || hints.status === 501) {
    return shape.api === "responses" ? { ...shape, api: "chat" } : null;
  }
  if (hints.status !== 400 && hints.status !== 422) return null;
  if (hints.isAboutTemperature && shape.hasTemperature) return { ...shape, hasTemperature: false };
  // Servers word this refusal in too many ways to recognise it, so any unexplained one is taken for it.
  if (shape.format === "json_schema") return { ...shape, format: "json_object" };
  if (shape.format === "json_object") return { ...shape, format: "text" };
  return null;
}

/** What a provider has accepted so far, so that a refusal is met once and not on every call. */
export interface ShapeMemory {
  /** The shape to start with for a model. */
  shapeFor(model: string): RequestShape;
  /** Keeps a shape that the provider accepted. The API holds for every model, the rest for this one. */
  remember(model: string, shape: RequestShape): void;
}

/** Models named by users are many; the oldest are forgotten, which costs them one refusal. */
const modelsMax = 500;

/** completions 7.1: temperature is omitted for models whose id starts with `gpt-5`. */
export function takesTemperature(model: string): boolean {
  return !model.startsWith("gpt-5");
}

/** Starts with what is known of no provider in particular. */
export function createShapeMemory(firstApi: WireApi): ShapeMemory {
  let api = firstApi;
  const models = new Map<string, Pick<RequestShape, "format" | "hasTemperature">>();
  return {
    shapeFor(model) {
      const known = models.get(model);
      return {
        api,
        format: known?.format ?? "json_schema",
        hasTemperature: known?.hasTemperature ?? takesTemperature(model),
      };
    },
    remember(model, shape) {
      api = shape.api;
      const first = models.keys().next();
      if (!models.has(model) && models.size >= modelsMax && !first.done) models.delete(first.value);
      models.set(model, { format: shape.format, hasTemperature: shape.hasTemperature });
    },
  };
}
