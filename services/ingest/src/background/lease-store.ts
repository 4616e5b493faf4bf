import type { Database } from "@touchstone/db";

/** A lease and a process that wants or has it. */
interface Claim {
  name: string;
  holder: string;
}

/** Takes or renews a lease, by the clock of PostgreSQL. True if the holder, old or new, is this one. */
export async function takeLease(
  database: Database,
  { name, holder, lifetimeMs }: Claim & { lifetimeMs: number },
): Promise<boolean> {
  const { rows } = await database.query({
    name: "lease_take",
    text: `
      insert into ingest.leases as lease (name, holder, expires_at)
      values ($1, $2, now() + make_interval(secs => $3))
      on conflict (name) do update
      set holder = excluded.holder, expires_at = excluded.expires_at
      where lease.holder = excluded.holder or lease.expires_at < now()
      returning holder`,
    values: [name, holder, lifetimeMs / 1000],
  });
  return rows.length > 0;
}

/** Gives up a lease that this holder has. */
export async function giveUpLease(database: Database, { name, holder }: Claim): Promise<void> {
  await database.query({
    name: "lease_give_up",
    text: "delete from ingest.leases where name = $1 and holder = $2",
    values: [name, holder],
  });
}
