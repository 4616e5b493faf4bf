/** Names told apart in one answer. */
const namesMax = 50;

/** Stands for all names beyond. */
export const others = "(other)";

/** The names with the greatest sums. */
export function greatestNames(amounts: readonly { name: string | null; amount: number }[]): ReadonlySet<string> {
  const sums = new Map<string, number>();
  for (const { name, amount } of amounts) if (name !== null) addNamed(sums, name, amount);
  const names = [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return new Set(names.slice(0, namesMax));
}

export function addNamed(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
