import { builtInModels } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

export const isBuiltIn = (id: string): boolean => builtInModels.some(({ model }) => model === id);

/** In multi-tenant mode the built-in models are the same for everybody (completions 11.1): 403. */
export function refuseBuiltIn(id: string, multiTenant: boolean): void {
  if (multiTenant && isBuiltIn(id)) throw new AppError("forbidden", "Built-in models cannot be changed");
}
