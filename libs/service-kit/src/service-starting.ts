import { notTakenHeader } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";

/**
 * The answer of a service until it can use its store. The gateway tries another replica, for any request; if there is
 * none, its client gets this 503.
 */
export function serviceStarting(): AppError {
  return new AppError("store_unavailable", "The service is starting; retry.", {
    internalHeaders: { [notTakenHeader]: "1" },
  });
}
