/**
 * Makes the whole process, all its threads included, that of a user in no other group, for good: without the rights of
 * root there is no way back. Throws where root may not do that, as in some containers.
 */
export function dropUser(id: number): void {
  // Not known to the types of systems that have no users.
  const { setgroups, setgid, setuid } = process as Required<NodeJS.Process>;
  setgroups([]);
  setgid(id);
  setuid(id);
}
