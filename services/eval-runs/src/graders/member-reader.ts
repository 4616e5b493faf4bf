import { type Bus, isBusError } from "@touchstone/bus";
import { type KnownMember, readMembers } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { StoredMember } from "./group-document.ts";

/** Asks monitor about members of scorer groups that are patterns or custom scorers. */
export interface MemberReader {
  /**
   * The members that exist in the project, without judges. Sends no request if all of them are judges. Throws
   * `bad_request` when they are too large together, and `service_unavailable` when monitor does not answer.
   */
  read(projectId: string, members: readonly Pick<StoredMember, "kind" | "refId">[]): Promise<readonly KnownMember[]>;
}

const timeoutMs = 10_000;

export function createMemberReader(bus: Pick<Bus, "request">): MemberReader {
  return {
    async read(projectId, members) {
      const asked = members.flatMap(({ kind, refId }) => (kind === "judge" ? [] : [{ kind, refId }]));
      if (asked.length === 0) return [];
      try {
        return (await bus.request(readMembers, { projectId, members: asked }, { timeoutMs })).members;
      } catch (cause) {
        if (!isBusError(cause)) throw cause;
        if (cause.code === "bad_request") throw new AppError("bad_request", cause.message, { cause });
        // The server of this installation may carry less than monitor allows.
        if (cause.kind === "too_large") {
          const limit = `the message bus carries ${cause.limit ?? "fewer"} bytes`;
          throw new AppError(
            "bad_request",
            `The patterns and custom scorers of a scorer group are too large: ${limit}`,
            {
              cause,
            },
          );
        }
        const sentence = "Patterns and custom scorers cannot be looked up at the moment; retry.";
        throw new AppError("service_unavailable", sentence, { cause });
      }
    },
  };
}
