import type { Bus, BusError } from "@touchstone/bus";
import { scoreMembers } from "@touchstone/contracts";
import { scorerMembersOf } from "../grading/plan.ts";
import { type AskingOptions, askThroughOutages } from "./ask-through-outages.ts";
import { type AskedMember, composeMembersRequest, type GradedResult } from "./judge-request.ts";
import { type Judgement, type MemberFinding, skipped } from "./judgement.ts";

/**
 * Asks the patterns and custom scorers of a result's group (completions 4.4), if it has any. Waits while monitor or the bus is
 * unavailable, like for judges; then the result is skipped with a reason, because a score without them would be another
 * group's. A member that was deleted or that itself fails has no finding, and the rules of the group apply. `findings` are in
 * the order of the members. Rejects only when `signal` is aborted, with its reason.
 */
export async function askMembers(
  bus: Bus,
  graded: GradedResult,
  options: AskingOptions,
): Promise<{ findings: readonly MemberFinding[] } | { skipped: Judgement }> {
  const members = scorerMembersOf(graded.plan);
  const there = members.filter((member): member is AskedMember => member.definition !== undefined);
  if (there.length === 0) return { findings: members.map(() => gone) };
  const asked = await askThroughOutages(bus, scoreMembers, composeMembersRequest(graded, there), options);
  if ("failure" in asked) return { skipped: explain(asked.failure) };
  const found = new Map(there.map((member, index) => [member, asked.reply.findings[index] ?? unanswered]));
  return { findings: members.map((member) => found.get(member as AskedMember) ?? gone) };
}

const gone: MemberFinding = { goodness: null, because: "It was deleted before the run was created." };
const unanswered: MemberFinding = { goodness: null, because: "It did not answer." };

const who = "the patterns and custom scorers of its group";

/** The fixed message for each kind of bus error. */
function explain(error: BusError): Judgement {
  switch (error.kind) {
    case "no_responder":
      return skipped("no_scorer", `No service that scores ${who} is running.`);
    case "disconnected":
      return skipped("no_scorer", `The message bus is unavailable, which is needed to score ${who}.`);
    case "busy":
      return skipped("no_scorer", `The service that scores ${who} was busy until the time for this result was over.`);
    case "timeout":
      return skipped("timeout", `The result was not scored in time by ${who}.`);
    case "too_large":
      return skipped(
        "too_large",
        `The result is too large to score by ${who} (${error.bytes ?? "unknown"} bytes, limit ${error.limit ?? "unknown"}).`,
      );
    case "invalid_reply":
    case "failed":
      return skipped("no_scorer", `The service that scores ${who} failed on this result.`);
  }
}
