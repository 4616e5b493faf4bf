import { accountOriginHeader, routes } from "@touchstone/contracts";
import type { Call } from "@touchstone/service-kit";

/** Where content is sent, by its signed address. */
export const uploadUrl = (call: Call, address: string): string => urlOf(call, routes.uploadMedia.path, address);

/** Where content is read, by its signed address. */
export const contentUrl = (call: Call, address: string): string => urlOf(call, routes.readMediaContent.path, address);

/** Absolute, if the gateway says how the client reached it. */
function urlOf({ headers }: Call, path: string, address: string): string {
  const origin = headers[accountOriginHeader];
  return `${typeof origin === "string" ? origin : ""}${path.replace("{address}", address)}`;
}
