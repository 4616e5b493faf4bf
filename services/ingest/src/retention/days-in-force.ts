/**
 * How many days a project's traces are kept; null = for ever. `own` is what the project chose: null follows the
 * installation, 0 is for ever.
 */
export function daysInForce(own: number | null, ofInstallation: number | null): number | null {
  return own === 0 ? null : (own ?? ofInstallation);
}
