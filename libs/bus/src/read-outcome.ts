import type { RequestContract } from "@touchstone/contracts";
import type { z } from "zod";
import { BusError } from "./bus-error.ts";
import type { Outcome } from "./pursue-request.ts";
import { decodeBody, failure, oversize } from "./wire.ts";

/** The reply, or the error for an outcome of another kind. */
export function readOutcome<C extends RequestContract>(contract: C, outcome: Outcome): z.output<C["reply"]> {
  const { subject } = contract;
  switch (outcome.kind) {
    case "replied": {
      const reply = decodeBody(contract.reply, outcome.data);
      if (reply.ok) return reply.body as z.output<C["reply"]>;
      const message = `The reply does not match its contract (${reply.problem})`;
      throw new BusError("invalid_reply", message, { subject, cause: reply.cause });
    }
    case "failed": {
      const failed = decodeBody(failure, outcome.data);
      // An error code that only a newer member knows is still a failure.
      if (!failed.ok) throw new BusError("failed", "Internal error", { subject, code: "internal" });
      const { code, message, retryAfterSeconds } = failed.body;
      const delay = retryAfterSeconds === null ? {} : { retryAfterSeconds };
      throw new BusError("failed", message, { subject, code, ...delay });
    }
    case "too_large": {
      const size = decodeBody(oversize, outcome.data);
      const sizes = size.ok ? size.body : {};
      throw new BusError("too_large", "The reply is larger than the bus carries", { subject, ...sizes });
    }
    case "expired":
      throw new BusError("timeout", "The request reached a member after its deadline", { subject });
  }
}
