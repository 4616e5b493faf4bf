/**
 * Switches the whole process, with all its threads, permanently to a user without other groups: without root's rights it cannot
 * switch back. Throws if root may not do that, as in some containers.
 */
export function dropUser(id: number): void {
  // Optional in the types, for systems without users.
  const { setgroups, setgid, setuid } = process as Required<NodeJS.Process>;
  setgroups([]);
  setgid(id);
  setuid(id);
}
