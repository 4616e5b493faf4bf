/** The most expensive models, with the rest grouped: at most `most` entries. Models without cost are left out. */
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
