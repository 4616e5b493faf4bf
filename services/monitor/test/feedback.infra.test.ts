import { feedbackList, feedbackReply, outcomeReply, signalList, voteList } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { hoursAgo, useSettledRows } from "./settled-rows.ts";

const { fakeIngest, rows, newProject } = useSettledRows();

describe("feedback", () => {
  test("is kept, listed newest first and exported, each vote with an outcome; a vote down raises a signal", async () => {
    const project = newProject();
    const agentId = fakeIngest.addAgent(project.projectId, "shop");
    const traceId = fakeIngest.addTrace(project.projectId, { agentId });
    const sent = { traceId, rating: "up", comment: "Helpful", endUserId: "user-1" };
    const up = await project.send("POST", "/feedback", sent);
    expect(up.status).toBe(201);
    expect(feedbackReply.parse(up.body).feedback).toMatchObject(sent);
    const down = await project.send("POST", "/feedback", { traceId, rating: "down", comment: "Wrong" });
    const bare = await project.send("POST", "/feedback", { traceId, rating: "down" });
    expect(Object.keys(bare.body.feedback).toSorted()).toEqual(["_id", "authorId", "createdAt", "rating", "traceId"]);

    const listed = await project.send("GET", `/feedback/trace/${traceId}`);
    expect(feedbackList.parse(listed.body).feedback).toEqual([
      bare.body.feedback,
      down.body.feedback,
      up.body.feedback,
    ]);
    const { signals } = signalList.parse((await project.send("GET", "/monitor/signals")).body);
    expect(signals).toMatchObject([
      {
        patternKey: "negative-feedback",
        type: "negative_feedback",
        severity: "medium",
        polarity: "failure",
        agentId: { _id: agentId, name: "shop" },
        occurrenceCount: 2,
      },
    ]);
    expect(signals[0]?.occurrences?.map((each) => each.traceId)).toEqual([traceId, traceId]);

    expect(await project.lines("/export/feedback")).toEqual(
      [up, down, bare].map(({ body: { feedback } }) => ({
        id: feedback._id,
        projectId: project.projectId,
        traceId,
        rating: feedback.rating,
        comment: feedback.comment ?? null,
        endUserId: feedback.endUserId ?? null,
        authorId: null,
        createdAt: feedback.createdAt,
      })),
    );
    expect(await project.lines("/export/outcomes")).toMatchObject([
      { traceId, outcome: "user_thumbs_up", isNegative: false, reason: "Helpful", reportedBy: "user-1" },
      { traceId, outcome: "user_thumbs_down", isNegative: true, reason: "Wrong", reportedBy: null },
      { traceId, outcome: "user_thumbs_down", isNegative: true, reason: null, reportedBy: null },
    ]);
  });

  test("on all traces is listed in pages, newest first, by vote and time", async () => {
    const project = newProject();
    const [first, second] = [uuidv7(Date.now()), uuidv7(Date.now())];
    await rows.addVote(project, first, "down", hoursAgo(30));
    await rows.addVote(project, first, "up", hoursAgo(3));
    await rows.addVote(project, second, "down", hoursAgo(2));
    await rows.addVote(project, first, "down", hoursAgo(1));
    await rows.addVote(newProject(), second, "down");
    const list = async (query: string) => {
      const { totalCount, feedback, nextCursor } = voteList.parse(
        (await project.send("GET", `/feedback${query}`)).body,
      );
      return [totalCount, nextCursor, ...feedback.map((vote) => `${vote.rating} ${vote.traceId === first ? 0 : 1}`)];
    };
    expect(await list("")).toEqual([4, null, "down 0", "down 1", "up 0", "down 0"]);
    const since = hoursAgo(24).toISOString();
    expect(await list(`?rating=down&from=${since}`)).toEqual([2, null, "down 0", "down 1"]);
    expect(await list(`?to=${since}`)).toEqual([1, null, "down 0"]);
    const page = await list("?limit=3");
    expect(page).toEqual([4, expect.any(String), "down 0", "down 1", "up 0"]);
    expect(await list(`?limit=3&cursor=${page[1]}`)).toEqual([4, null, "down 0"]);
    for (const query of ["rating=bad", "from=now", "limit=0", "cursor=next"]) {
      expect((await project.send("GET", `/feedback?${query}`)).status).toBe(400);
    }
    expect((await list("?from=-200000-01-01"))[0]).toBe(4);
  });

  test("on all traces is listed with the name of each trace, as long as it is known", async () => {
    const project = newProject();
    await rows.addVote(project, await rows.addRun(project, { name: "refund-agent" }), "up", hoursAgo(1));
    await rows.addVote(project, uuidv7(Date.now()), "down", hoursAgo(2));
    await rows.addRun(newProject(), { name: "foreign" });
    const { feedback } = voteList.parse((await project.send("GET", "/feedback")).body);
    expect(feedback.map(({ traceName }) => traceName)).toEqual(["refund-agent", null]);
  });

  test("names the user who voted while signed in", async () => {
    const project = newProject();
    const traceId = fakeIngest.addTrace(project.projectId, {});
    const mara = project.as("user-mara");
    const vote = await mara.send("POST", "/feedback", { traceId, rating: "up" });
    expect(vote.body.feedback).toMatchObject({ authorId: "user-mara" });
    await project.send("POST", "/feedback", { traceId, rating: "down" });

    const { feedback } = feedbackList.parse((await project.send("GET", `/feedback/trace/${traceId}`)).body);
    expect(feedback.map(({ rating, authorId }) => [rating, authorId])).toEqual([
      ["down", null],
      ["up", "user-mara"],
    ]);
    expect((await project.lines("/export/feedback")).map(({ authorId }) => authorId)).toEqual(["user-mara", null]);
  });

  test("is refused with a sentence, and leaves nothing", async () => {
    const project = newProject();
    const traceId = fakeIngest.addTrace(project.projectId, {});
    const foreign = fakeIngest.addTrace(newProject().projectId, {});
    for (const [body, status, error] of [
      [{}, 400, "traceId is required"],
      [{ traceId }, 400, 'rating must be "up" or "down"'],
      [{ traceId, rating: "maybe" }, 400, 'rating must be "up" or "down"'],
      [{ traceId, rating: "up", comment: "x".repeat(10_001) }, 400, "comment must be text of at most 10000 characters"],
      [{ traceId: " ", rating: "up" }, 400, "traceId is required"],
      [
        { traceId, rating: "up", comment: "a\0b", endUserId: 7 },
        400,
        "comment must be text of at most 10000 characters",
      ],
      [{ traceId, rating: "up", endUserId: 7 }, 400, "endUserId must be text of at most 200 characters"],
      [{ traceId: foreign, rating: "down" }, 404, "Trace not found"],
      [{ traceId: "none", rating: "down" }, 404, "Trace not found"],
    ] as const) {
      expect(await project.send("POST", "/feedback", body)).toEqual({ status, body: { error } });
    }
    fakeIngest.isUnavailable = true;
    const away = await project.send("POST", "/feedback", { traceId, rating: "down" });
    fakeIngest.isUnavailable = false;
    expect(away.status).toBe(503);
    expect(await project.lines("/export/feedback")).toEqual([]);
    expect(await project.lines("/export/outcomes")).toEqual([]);
    expect((await project.send("GET", "/monitor/signals")).body.signals).toEqual([]);
    expect((await project.send("GET", "/feedback/trace/none")).body).toEqual({ feedback: [] });
  });

  test("of other kinds is reported as an outcome, of a trace or of a run's result", async () => {
    const project = newProject();
    const sent = { outcome: "refunded", isNegative: true, evaluationRunResultId: "r-1", reason: "late" };
    const { status, body } = await project.send("POST", "/outcomes", sent);
    expect(status).toBe(201);
    expect(outcomeReply.parse(body).report).toMatchObject({ ...sent, traceId: null, reportedBy: null });
    for (const [refused, error] of [
      [{}, "outcome is required"],
      [{ outcome: "a" }, "isNegative (boolean) is required"],
      [{ outcome: "a", isNegative: "no" }, "isNegative (boolean) is required"],
      [{ outcome: "a", isNegative: false }, "traceId or evaluationRunResultId is required"],
      [{ outcome: "a", isNegative: false, traceId: " " }, "traceId or evaluationRunResultId is required"],
    ] as const) {
      expect(await project.send("POST", "/outcomes", refused)).toEqual({ status: 400, body: { error } });
    }
    expect(await project.lines("/export/outcomes")).toHaveLength(1);
  });
});
