import { runAtOnce } from "@touchstone/service-kit";
import { comparePairs } from "../../src/statistics/paired-difference.ts";
import { decidePaired, defaultMinEffect } from "../../src/statistics/paired-verdict.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { estimateRatingInterval } from "../../src/statistics/rating-interval.ts";
import { type RatingModel, ratingModels } from "./simulated-ratings.ts";

/**
 * Prints the tables of docs/statistics.md: `node services/eval-runs/test/statistics/report.ts`. All seeds are fixed, so
 * it prints the same until the methods change.
 */
const comparisons = 2_000;
const sizes = [6, 10, 20, 100];
/** Two-sided 97.5 % quantiles of Student's t for these sizes. */
const studentQuantiles = new Map([
  [6, 2.571],
  [10, 2.262],
  [20, 2.093],
  [100, 1.984],
]);

const percent = (count: number, total: number): string => `${((100 * count) / total).toFixed(1)} %`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function row(cells: readonly (string | number)[]): void {
  print(`| ${cells.join(" | ")} |`);
}

function head(cells: readonly string[]): void {
  row(cells);
  row(cells.map(() => "---"));
}

function comparePower(model: RatingModel, cases: number, shift: number): void {
  const random = createRandom(`${model.name}:${cases}:${shift}`);
  const outcomes = { regressed: 0, improved: 0, no_evidence: 0, undecided: 0 };
  let significant = 0;
  let held = 0;
  const drawn: number[][] = Array.from({ length: comparisons }, () =>
    Array.from({ length: cases }, () => {
      const rate = model.drawCase(random);
      return rate(shift) - rate();
    }),
  );
  // Of two runs of the same agent it is known; else it is what all the comparisons come to.
  const truth = shift === 0 ? 0 : drawn.flat().reduce((sum, difference) => sum + difference, 0) / (comparisons * cases);
  drawn.forEach((differences, index) => {
    const compared = runAtOnce(comparePairs(differences, { seed: String(index), flips: 1_999 }));
    if (compared === null) return;
    if (compared.low > 0 || compared.high < 0) significant += 1;
    if (compared.low <= truth + 1e-9 && compared.high >= truth - 1e-9) held += 1;
    outcomes[decidePaired(compared, defaultMinEffect).outcome] += 1;
  });
  row([
    model.name,
    cases,
    truth.toFixed(2),
    percent(significant, comparisons),
    percent(held, comparisons),
    ...[outcomes.regressed, outcomes.improved, outcomes.no_evidence, outcomes.undecided].map((count) =>
      percent(count, comparisons),
    ),
  ]);
}

function coverage(model: RatingModel, cases: number): void {
  const random = createRandom(`${model.name}:${cases}`);
  const draw = (): number => model.drawCase(random)();
  const truth = Array.from({ length: 1_000_000 }, draw).reduce((sum, rating) => sum + rating, 0) / 1_000_000;
  const runs = 1_000;
  const ours = { held: 0, width: 0 };
  const student = { held: 0, width: 0 };
  const count = (interval: { low: number; high: number }, tally: typeof ours): void => {
    if (interval.low <= truth && truth <= interval.high) tally.held += 1;
    tally.width += interval.high - interval.low;
  };
  for (let run = 0; run < runs; run += 1) {
    const ratings = Array.from({ length: cases }, draw);
    const interval = runAtOnce(estimateRatingInterval(ratings, String(run), 1_000));
    if (interval !== null) count(interval, ours);
    const mean = ratings.reduce((sum, rating) => sum + rating, 0) / cases;
    const variance = ratings.reduce((sum, rating) => sum + (rating - mean) ** 2, 0) / (cases - 1);
    const half = (studentQuantiles.get(cases) as number) * Math.sqrt(variance / cases);
    count({ low: Math.max(0, mean - half), high: Math.min(10, mean + half) }, student);
  }
  row([
    model.name,
    cases,
    truth.toFixed(2),
    percent(ours.held, runs),
    (ours.width / runs).toFixed(2),
    percent(student.held, runs),
    (student.width / runs).toFixed(2),
  ]);
}

for (const [title, shift] of [
  ["No difference", 0],
  ["One point worse", -1],
  ["Two points worse", -2],
] as const) {
  print(`\n### ${title}\n`);
  head([
    "ratings",
    "cases",
    "true difference",
    "significant",
    "interval holds",
    "regressed",
    "improved",
    "no evidence",
    "undecided",
  ]);
  for (const model of ratingModels) for (const cases of sizes) comparePower(model, cases, shift);
}
print("\n### Interval of the mean rating\n");
head(["ratings", "cases", "true mean", "holds", "width", "Student's t holds", "width"]);
for (const model of ratingModels) for (const cases of sizes) coverage(model, cases);
