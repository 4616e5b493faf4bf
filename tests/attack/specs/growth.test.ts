import { expect, test } from "vitest";
import { describeFloors, type Floor, findGrowth, noteFloor } from "../src/growth.ts";

type Told = Parameters<typeof noteFloor>[2];

const measured = (before: number, after: number, rest: Partial<Told> = {}): Told => ({
  window: { memoryMb: { before, peak: 2_000, after } } as Told["window"],
  wasRestarted: false,
  usualMb: 300,
  ...rest,
});

function floorsOf(rounds: readonly (readonly Told[])[]): Floor[] {
  const floors: Floor[] = [];
  for (const [index, measurements] of rounds.entries()) {
    const round = { seed: index + 1, minute: index * 15, setting: "projects" } as const;
    for (const measurement of measurements) noteFloor(floors, round, measurement);
  }
  return floors;
}

test("growth is that of the least memory between attacks, from the first round after half an hour to the last", () => {
  const steady = [[measured(300, 400)], [measured(400, 500)], [measured(900, 500)], [measured(520, 1_000)]];
  expect(findGrowth(floorsOf(steady), { memoryKept: 1.1 })).toEqual([]);

  const growing = [...steady, [measured(1_000, 560), measured(560, 580)]];
  expect(findGrowth(floorsOf(growing), { memoryKept: 1.1 })).toEqual([
    "projects: least memory 560 MB from minute 60, 500 MB from minute 30",
  ]);
  expect(findGrowth(floorsOf(growing), { memoryKept: 1.2 })).toEqual([]);
});

test("a shorter run, a warm-up and an installation that was just restarted show no growth", () => {
  expect(findGrowth(floorsOf([[measured(300, 300)], [measured(900, 900)]]), { memoryKept: 1.1 })).toEqual([]);

  const restarted = [[], [], [measured(300, 300)], [measured(900, 200, { wasRestarted: true })], [measured(400, 400)]];
  const floors = floorsOf([...restarted, [measured(200, 210, { usualMb: null }), measured(420, 410)]]);
  expect(findGrowth(floors, { memoryKept: 1.1 })).toEqual([]);
  expect(findGrowth(floors, { memoryKept: 1.02 })).toHaveLength(1);
  expect(describeFloors(floors)).toBe(
    "Least memory between two attacks, by round:\n" +
      "  projects: 300 MB from minute 30, 900 MB from minute 45 (restarted), 400 MB from minute 60, 410 MB from minute 75",
  );
});
