import { describe, expect, test } from "vitest";
import { type AgreementTable, estimateKappa } from "../../src/dashboards/cohen-kappa.ts";
import { composeAgreement } from "../../src/dashboards/compose-agreement.ts";

const tableOf = (bothFail: number, onlyScorerFails: number, onlyPersonFails: number, bothPass: number) => ({
  bothFail,
  onlyScorerFails,
  onlyPersonFails,
  bothPass,
});

describe("kappa", () => {
  // Worked by hand: observed, by chance, kappa = (observed - chance) / (1 - chance).
  test.each([
    // 0.7, 0.5 x 0.6 + 0.5 x 0.4 = 0.5
    ["a textbook's table", tableOf(20, 5, 10, 15), 0.4],
    // 1, 0.5
    ["perfect agreement", tableOf(10, 0, 0, 10), 1],
    // 0, 0.5
    ["perfect disagreement", tableOf(0, 10, 10, 0), -1],
    // 0.5, 0.5
    ["two who do not look", tableOf(5, 5, 5, 5), 0],
    // 0.9, 0.05 x 0.05 + 0.95 x 0.95 = 0.905: 90 % agreement and no better than chance
    ["a high percentage that is chance", tableOf(0, 5, 5, 90), -0.005 / 0.095],
  ])("of %s equals the value computed by hand, within its interval", (_name, table, kappa) => {
    const estimated = estimateKappa(table);
    expect(estimated?.kappa).toBeCloseTo(kappa, 10);
    expect(estimated?.low).toBeLessThanOrEqual(kappa + 1e-12);
    expect(estimated?.high).toBeGreaterThanOrEqual(kappa - 1e-12);
    expect(estimated?.low).toBeGreaterThanOrEqual(-1);
    expect(estimated?.high).toBeLessThanOrEqual(1);
  });

  test("has the interval of the table with a half more in each cell", () => {
    // Of (20.5, 5.5, 10.5, 15.5): kappa 0.3846, standard error 0.1256 by numeric differentiation.
    const { low, high } = estimateKappa(tableOf(20, 5, 10, 15)) ?? { low: Number.NaN, high: Number.NaN };
    expect([low, high].map((end) => Math.round(end * 1e4) / 1e4)).toEqual([0.1384, 0.6308]);
  });

  test.each([
    ["fewer than ten pairs", tableOf(4, 0, 1, 4)],
    ["a scorer that fails nothing", tableOf(0, 0, 10, 90)],
    ["a scorer that fails everything", tableOf(10, 90, 0, 0)],
    ["people who never complain", tableOf(0, 10, 0, 90)],
    ["nothing", tableOf(0, 0, 0, 0)],
  ])("is null of %s", (_name, table) => {
    expect(estimateKappa(table)).toBeNull();
  });
});

test("the 95 % interval holds the true kappa at least 92 times in a hundred, also of few pairs and few bad ones", () => {
  const random = createRandom(20260101);
  const runs = 2_000;
  const found: { truth: string; held: number }[] = [];
  for (const pairs of [10, 20, 60]) {
    for (const bad of [0.1, 0.3, 0.5]) {
      for (const [hit, falseAlarm] of [
        [0.95, 0.05],
        [0.8, 0.1],
        [0.5, 0.5],
        [0.3, 0.05],
      ] as const) {
        const truth = [bad * hit, (1 - bad) * falseAlarm, bad * (1 - hit), (1 - bad) * (1 - falseAlarm)] as const;
        const kappa = kappaOf(truth);
        let held = 0;
        for (let estimated = 0; estimated < runs; ) {
          const interval = estimateKappa(draw(truth, pairs, random));
          if (interval === null) continue;
          estimated += 1;
          if (interval.low <= kappa && kappa <= interval.high) held += 1;
        }
        found.push({ truth: `${pairs} pairs, ${truth}`, held: held / runs });
      }
    }
  }
  expect(found.filter(({ held }) => held < 0.92)).toEqual([]);
  // Not because it is as wide as the scale: the stated confidence is nearly exact.
  const mean = found.reduce((sum, { held }) => sum + held, 0) / found.length;
  expect(mean).toBeLessThan(0.98);
});

test("counts and shares are answered also where kappa is not", () => {
  const tally = {
    scorerKey: "online-eval:a",
    scorerName: "Tone",
    scorerVersion: 2,
    isGroup: false,
    corrected: 1,
    withoutThreshold: 3,
  };
  expect(composeAgreement({ ...tally, table: tableOf(1, 1, 0, 2) })).toEqual({
    ...tally,
    pairs: 4,
    table: tableOf(1, 1, 0, 2),
    baseRate: 0.25,
    failRate: 0.5,
    rawAgreement: 0.75,
    kappa: null,
    interval: null,
  });
  expect(composeAgreement({ ...tally, table: tableOf(0, 0, 0, 0) })).toMatchObject({
    pairs: 0,
    baseRate: null,
    failRate: null,
    rawAgreement: null,
  });
});

type Truth = readonly [number, number, number, number];

/** By its definition, of shares. */
function kappaOf([bothFail, onlyScorer, onlyPerson, bothPass]: Truth): number {
  const [scorer, person] = [bothFail + onlyScorer, bothFail + onlyPerson];
  const chance = scorer * person + (1 - scorer) * (1 - person);
  return (bothFail + bothPass - chance) / (1 - chance);
}

function draw([bothFail, onlyScorer, onlyPerson]: Truth, pairs: number, random: () => number): AgreementTable {
  const counts: [number, number, number, number] = [0, 0, 0, 0];
  for (let pair = 0; pair < pairs; pair += 1) {
    const place = random();
    if (place < bothFail) counts[0] += 1;
    else if (place < bothFail + onlyScorer) counts[1] += 1;
    else if (place < bothFail + onlyScorer + onlyPerson) counts[2] += 1;
    else counts[3] += 1;
  }
  return tableOf(...counts);
}

/** mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
