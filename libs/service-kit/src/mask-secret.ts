/**
 * A secret in displayable form: its first 3 and last 4 characters, or four bullets when it has 8 or fewer (completions
 * 11.1).
 */
export function maskSecret(secret: string): string {
  return secret.length <= 8 ? "••••" : `${secret.slice(0, 3)}...${secret.slice(-4)}`;
}
