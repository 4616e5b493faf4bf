/** The dearest models one by one, and the rest together: at most `most` entries. Models that cost nothing are left out. */
export function topModels(
  costs: Readonly<Record<string, number>>,
  most: number,
): { label: string; models: string[] }[] {
  const dearest = Object.entries(costs)
    .filter(([, cost]) => cost > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([model]) => model);
  const alone = dearest.length > most ? dearest.slice(0, most - 1) : dearest;
  const rest = dearest.slice(alone.length);
  return [
    ...alone.map((model) => ({ label: model, models: [model] })),
    ...(rest.length > 0 ? [{ label: `${rest.length} other models`, models: rest }] : []),
  ];
}
