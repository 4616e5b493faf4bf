/** A key in displayable form: its prefix and its last four characters. */
export function maskKey(key: string): string {
  const prefix = /^[a-z]+_/.exec(key)?.[0] ?? "";
  return `${prefix}${"•".repeat(12)}${key.slice(-4)}`;
}
