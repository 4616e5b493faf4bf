import { AppError, type Handler, isAppError } from "@touchstone/service-kit";

/** A reading route answers an outage in the global envelope (interface: Errors; completions 1.5). */
export function readSide(handle: Handler): Handler {
  return async (call) => {
    try {
      return await handle(call);
    } catch (thrown) {
      if (!isAppError(thrown) || thrown.code !== "store_unavailable") throw thrown;
      throw new AppError("service_unavailable", "Trace storage is unavailable; retry.", { cause: thrown });
    }
  };
}
