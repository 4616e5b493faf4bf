import {
  type feedbackList,
  type feedbackReply,
  isStorable,
  isUuid,
  limits,
  type outcomeReply,
  routes,
  type voteList,
  votesQuery,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Handler,
  type JsonMembers,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { previewOf } from "../model/finding.ts";
import { readCappedCount, readPeriod } from "../model/read-page.ts";
import type { FeedbackStore, Outcome, StoredVote, VoteQuery } from "./feedback-store.ts";

/** Routes of people's feedback on traces (completions 9.6). */
export function feedbackRoutes(dependencies: { feedback: FeedbackStore; ingest: IngestClient }): ServedRoute[] {
  return [
    { route: routes.createFeedback, handle: createFeedback(dependencies) },
    { route: routes.listFeedback, handle: listFeedback(dependencies) },
    { route: routes.listVotes, handle: listVotes(dependencies) },
    { route: routes.createOutcome, handle: createOutcome(dependencies) },
  ];
}

/** POST /feedback (completions 9.6). */
function createFeedback({
  feedback,
  ingest,
}: {
  feedback: FeedbackStore;
  ingest: Pick<IngestClient, "readTrace">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const vote = parseBody((await readJsonObject(call)).value, routes.createFeedback.body);
    const trace = isUuid(vote.traceId) ? await ingest.readTrace(projectId, vote.traceId) : null;
    if (trace === null) throw new AppError("not_found", "Trace not found");
    const stored = await feedback.addVote(
      projectId,
      {
        traceId: trace.traceId,
        rating: vote.rating,
        comment: vote.comment ?? null,
        endUserId: vote.endUserId ?? null,
        authorId: call.identity.userId,
      },
      {
        name: trace.name,
        agentId: trace.agentId,
        query: previewOf(trace.input),
        responsePreview: previewOf(trace.output),
      },
    );
    const body: z.input<typeof feedbackReply> = { feedback: showVote(stored) };
    return { status: 201, body };
  };
}

/** GET /feedback/trace/{traceId} (completions 9.6): empty also for an unknown trace. */
function listFeedback({ feedback }: { feedback: Pick<FeedbackStore, "listOfTrace"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { traceId = "" } = call.params;
    const votes = isUuid(traceId) ? await feedback.listOfTrace(projectId, traceId) : [];
    const body: z.input<typeof feedbackList> = { feedback: votes.map(showVote) };
    return { status: 200, body };
  };
}

/** GET /feedback (completions 9.6). */
function listVotes({ feedback }: { feedback: Pick<FeedbackStore, "list"> }): Handler {
  return async (call) => {
    const query = readVotesQuery(call);
    const { total, votes } = await feedback.list(requireProject(call), { ...query, limit: query.limit + 1 });
    const page = votes.slice(0, query.limit);
    const hasNextPage = votes.length > page.length;
    const body: z.input<typeof voteList> = {
      totalCount: total,
      feedback: page.map((vote) => ({ ...showVote(vote), traceName: vote.traceName })),
      hasNextPage,
      nextCursor: hasNextPage ? (page.at(-1)?.id ?? null) : null,
    };
    return { status: 200, body };
  };
}

function readVotesQuery({ query }: Pick<Call, "query">): VoteQuery {
  const read = votesQuery.safeParse(query);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    const sentence = member === "rating" ? 'rating must be "up" or "down"' : `${member} must be given once`;
    throw new AppError("bad_request", sentence, { cause: read.error });
  }
  const { rating = null, limit, cursor = "" } = read.data;
  const page = { byDefault: limits.feedbackPageDefault, max: limits.feedbackListedMax };
  const count = readCappedCount("limit", limit, page);
  if (cursor !== "" && !isUuid(cursor)) throw new AppError("bad_request", "Unknown cursor");
  return {
    rating,
    ...readPeriod({ query }),
    limit: count,
    after: cursor === "" ? null : cursor,
  };
}

/** POST /outcomes (completions 9.6). References are stored as they were sent. */
function createOutcome({ feedback }: { feedback: Pick<FeedbackStore, "addOutcome"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { id, reportedAt, ...said } = await feedback.addOutcome(
      projectId,
      readOutcome((await readJsonObject(call)).value),
    );
    const body: z.input<typeof outcomeReply> = {
      report: { _id: id, ...said, reportedAt: reportedAt.toISOString() },
    };
    return { status: 201, body };
  };
}

function readOutcome(sent: JsonMembers): Outcome {
  const nameMax = limits.feedbackNameMaxChars;
  const outcome = typeof sent.outcome === "string" ? readFilledText("outcome", sent.outcome, nameMax) : null;
  if (outcome === null) throw new AppError("bad_request", "outcome is required");
  if (typeof sent.isNegative !== "boolean") throw new AppError("bad_request", "isNegative (boolean) is required");
  const traceId = readFilledText("traceId", sent.traceId, nameMax);
  const evaluationRunResultId = readFilledText("evaluationRunResultId", sent.evaluationRunResultId, nameMax);
  if (traceId === null && evaluationRunResultId === null) {
    throw new AppError("bad_request", "traceId or evaluationRunResultId is required");
  }
  return {
    outcome,
    isNegative: sent.isNegative,
    traceId,
    evaluationRunResultId,
    reason: readText("reason", sent.reason, limits.feedbackTextMaxChars),
    reportedBy: readText("reportedBy", sent.reportedBy, nameMax),
  };
}

/** A vote in a response: absent members are left out, except the author. */
function showVote({
  id,
  traceId,
  rating,
  comment,
  endUserId,
  authorId,
  createdAt,
}: StoredVote): z.input<typeof feedbackReply>["feedback"] {
  return {
    _id: id,
    traceId,
    rating,
    ...(comment !== null && { comment }),
    ...(endUserId !== null && { endUserId }),
    authorId,
    createdAt: createdAt.toISOString(),
  };
}

/** An optional text. Throws 400 for another type, a longer text, and one that PostgreSQL cannot store. */
function readText(member: string, value: unknown, maxChars: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" || value.length > maxChars || !isStorable(value)) {
    throw new AppError("bad_request", `${member} must be text of at most ${maxChars} characters`);
  }
  return value;
}

/** The same, where a blank text counts as absent. */
function readFilledText(member: string, value: unknown, maxChars: number): string | null {
  const text = typeof value === "string" && value.trim() === "" ? null : value;
  return readText(member, text, maxChars);
}
