/**
 * A member under its snake_case name, else under its camelCase one (completions 8), and which of the two it was. Null
 * says as much as leaving it out.
 */
export function readEither(
  object: Readonly<Record<string, unknown>>,
  snakeCase: string,
  camelCase: string,
): { name: string; value: unknown } {
  const value = object[snakeCase] ?? null;
  return value === null ? { name: camelCase, value: object[camelCase] ?? null } : { name: snakeCase, value };
}
