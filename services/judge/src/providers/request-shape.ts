import type { ProviderFailure } from "./provider-failure.ts";

/** The two wire APIs of judge models. */
export type WireApi = "responses" | "chat";

/** The form of a request: the points in which compatible providers differ. */
export interface RequestShape {
  api: WireApi;
  /** The means of getting JSON: by schema, by JSON mode, or only by the prompt. */
  format: "json_schema" | "json_object" | "text";
  /** Sends `temperature: 0`. */
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
  // Servers phrase this refusal in too many ways to recognize it, so any unexplained one counts as it.
  if (shape.format === "json_schema") return { ...shape, format: "json_object" };
  if (shape.format === "json_object") return { ...shape, format: "text" };
  return null;
}

/** The shapes that a provider has accepted, so that a refusal occurs once and not on every call. */
export interface ShapeMemory {
  /** The shape to start with for a model. */
  shapeFor(model: string): RequestShape;
  /** Stores a shape that the provider accepted. The API applies to every model, the rest to this one. */
  remember(model: string, shape: RequestShape): void;
}

/** Users name many models; the oldest are evicted, at the cost of one refusal each. */
const modelsMax = 500;

/** completions 7.1: temperature is omitted for models whose id starts with `gpt-5`. */
export function takesTemperature(model: string): boolean {
  return !model.startsWith("gpt-5");
}

/** Starts with defaults for an unknown provider. */
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
