import type { Logger } from "@touchstone/service-kit";

/** The part of the logger that the bus uses; a test passes three functions. */
export type BusLogger = Pick<Logger, "info" | "warn" | "error">;
