import { notTakenHeader } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";

/**
 * What a service answers until it can use its store. The gateway asks another replica, whatever the request; where there
 * is none, its client gets this 503.
 */
export function serviceStarting(): AppError {
  return new AppError("store_unavailable", "The service is starting; retry.", {
    internalHeaders: { [notTakenHeader]: "1" },
  });
}
