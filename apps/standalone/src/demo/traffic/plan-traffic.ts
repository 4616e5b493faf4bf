import { drawDetails, fill } from "../content/fill.ts";
import { createRandom, type Random, seededHex } from "../random.ts";
import { agents } from "./agents.ts";
import type { PlannedTrace, PlannedVisit } from "./planned-trace.ts";

/** The share of traffic that is judged. Judging all of it would take minutes, and users usually choose a sample. */
const judgedShare = 0.3;

/** The period in which the payment provider was down, as a share of all visits in order of time. */
const outage = { from: 0.885, to: 0.915, errorShare: 0.55 };

/** Traces of about `count` runs, as conversations in order of time. The same count gives the same traffic. */
export function planTraffic(count: number): PlannedVisit[] {
  const random = createRandom("traffic");
  const visits: PlannedVisit[] = [];
  for (let planned = 0; planned < count; ) {
    const visit = planVisit(random, visits.length, planned / count);
    visits.push(visit);
    planned += visit.traces.length;
  }
  pinShowcase(visits);
  return visits;
}

function planVisit(random: Random, index: number, progress: number): PlannedVisit {
  const agent = weighted(
    random,
    agents.map((each) => [each, each.share] as const),
  );
  // Most conversations are short.
  const turns = Math.min(agent.turnsMax, 1 + Math.floor(random.next() ** 2 * agent.turnsMax));
  const userId = `user-${1000 + Math.floor(random.next() ** 2 * 400)}`;
  const sessionId = `${agent.name.split("-")[0]}-${seededHex(`session ${index}`, 8)}`;
  const isJudged = random.chance(judgedShare);
  const isDown = progress > outage.from && progress < outage.to;
  const traces = Array.from({ length: turns }, (_, turn) =>
    planTrace(random, { key: `${index}.${turn}`, agent, userId, sessionId, turn, isDown, isJudged }),
  );
  return { traces, pausesMs: traces.map(() => Math.round(random.skewed(35_000, 0.7))) };
}

function planTrace(
  random: Random,
  about: Pick<PlannedTrace, "key" | "agent" | "userId" | "sessionId" | "turn" | "isJudged"> & { isDown: boolean },
): PlannedTrace {
  const { agent, isDown, ...named } = about;
  const scenario = random.pick(agent.scenarios);
  const quality = random.next();
  const answer =
    quality < agent.badShare
      ? scenario.bad
      : quality < agent.badShare + agent.weakShare
        ? scenario.weak
        : scenario.good;
  const details = drawDetails(random);
  const isHit = isDown && agent.name === "refund-agent";
  const error = random.chance(isHit ? outage.errorShare : agent.errorShare) ? random.pick(agent.failures) : null;
  const latencyMs = random.skewed(agent.medianMs, 0.45);
  return {
    ...named,
    agent,
    model: weighted(random, agent.models),
    scenario,
    answer,
    query: fill(scenario.query, details),
    output: error === null ? fill(answer.text, details) : null,
    error: isHit && error !== null ? (agent.failures[0] ?? error) : error,
    retries: random.chance(agent.retryShare),
    latencyMs: Math.round(error?.startsWith("Timeout") === true ? 30_000 + latencyMs / 10 : latencyMs),
  };
}

/** The newest conversation with the refund agent ends with the answer in the README's tour. */
function pinShowcase(visits: PlannedVisit[]): void {
  const visit = visits.findLast(({ traces }) => traces[0]?.agent.name === "refund-agent");
  const trace = visit?.traces.at(-1);
  for (const each of visit?.traces ?? []) each.isJudged = true;
  const [scenario] = trace?.agent.scenarios ?? [];
  if (trace === undefined || scenario === undefined) return;
  const details = { order: "A104711", item: "Fjell jacket", amount: "189.00 USD" };
  Object.assign(trace, {
    scenario,
    answer: scenario.bad,
    query: fill(scenario.query, details),
    output: fill(scenario.bad.text, details),
    error: null,
    latencyMs: 28_400,
  });
}

function weighted<Item>(random: Random, items: readonly (readonly [item: Item, weight: number])[]): Item {
  let left = random.next() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new Error("there is nothing to draw from");
}
