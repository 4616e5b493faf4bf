/**
 * The body of a changed password as the library takes it: other sessions end unless the client says otherwise, since
 * whoever changes a password may do so because somebody else has it.
 */
export function endOtherSessions(body: string | null): string {
  const fields: unknown = JSON.parse(body ?? "{}");
  return JSON.stringify(typeof fields === "object" ? { revokeOtherSessions: true, ...fields } : fields);
}
