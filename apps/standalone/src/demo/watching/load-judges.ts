import type { DemoClient } from "../demo-client.ts";
import { type DemoJudgeScorer, demoJudgeScorers } from "./demo-judges.ts";

const scorersPath = "/agent-monitoring/judge-scorers";

/** During the load a conversation counts as finished at once. */
const idleSeconds = { loading: 1, afterwards: 120 };
/** Each pass gives five to the judges. */
const sessionPasses = 12;

/** Ids of judges by name. Those on live traffic rate every new trace; {@link setSampleRate} changes that. */
export async function loadJudges(
  client: DemoClient,
  agentIds: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const judges = await readJudges(client);
  for (const scorer of demoJudgeScorers) {
    if (!judges.has(scorer.name)) judges.set(scorer.name, await createJudge(client, scorer, agentIds));
  }
  await loadGroup(client, judges);
  return judges;
}

async function createJudge(
  client: DemoClient,
  { name, description, judge, live, firstCriteria }: DemoJudgeScorer,
  agentIds: ReadonlyMap<string, string>,
): Promise<string> {
  const online = live && {
    sampleRate: 1,
    alertThreshold: live.threshold,
    severity: live.severity,
    ...(live.agents !== "all" && {
      scopeMode: "selected",
      agentIds: live.agents.flatMap((agent) => agentIds.get(agent) ?? []),
    }),
    ...(live.scope === "session" && { scope: "session", idleSeconds: idleSeconds.loading }),
  };
  const first = firstCriteria === undefined ? judge : { ...judge, evaluationCriteria: firstCriteria };
  const created = { name, description, judge: first, ...(online !== null && { online }) };
  const { judgeScorer } = await client.call<{ judgeScorer: { _id: string } }>("POST", scorersPath, created);
  if (firstCriteria !== undefined) await client.call("PUT", `${scorersPath}/${judgeScorer._id}`, { judge });
  return judgeScorer._id;
}

/** Two judges and a gate, to show the computation of a group's score. */
async function loadGroup(client: DemoClient, judges: ReadonlyMap<string, string>): Promise<void> {
  const path = "/agent-monitoring/scorer-groups";
  const name = "Refund quality";
  const { scorerGroups } = await client.call<{ scorerGroups: { name: string }[] }>("GET", path);
  if (scorerGroups.some((group) => group.name === name)) return;
  const member = (judge: string, weight: number, gate: boolean) => ({
    kind: "judge",
    refId: judges.get(judge),
    weight,
    gate,
  });
  await client.call("POST", path, {
    name,
    description: "Policy is a must; beyond it helpfulness counts twice as much as tone.",
    members: [member("Policy", 0, true), member("Helpful", 2, false), member("Tone", 1, false)],
  });
}

/** Submits some conversations to their judges: those with the longest silence. */
export async function judgeConversations(client: DemoClient): Promise<void> {
  for (let pass = 0; pass < sessionPasses; pass += 1) {
    await client.call("POST", "/agent-monitoring/session-sweep/run", {});
  }
}

/** Sets the share of new traces that are judged. All conversations are judged when they are over. */
export async function setSampleRate(
  client: DemoClient,
  judges: ReadonlyMap<string, string>,
  sampleRate: number,
): Promise<void> {
  for (const { name, live } of demoJudgeScorers) {
    if (live === null) continue;
    const online = live.scope === "session" ? { idleSeconds: idleSeconds.afterwards } : { sampleRate };
    await client.call("PUT", `${scorersPath}/${judges.get(name)}`, { online });
  }
}

async function readJudges(client: DemoClient): Promise<Map<string, string>> {
  const { judgeScorers } = await client.call<{ judgeScorers: { _id: string; name: string }[] }>("GET", scorersPath);
  return new Map(judgeScorers.map(({ _id, name }) => [name, _id]));
}
