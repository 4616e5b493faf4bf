import { Client } from "pg";
import type { System } from "../start-system.ts";
import { waitUntil } from "../wait-until.ts";

/** The two layers that keep tenants apart, each of which can be taken away. Start the system with {@link scopeRemover}. */
export interface Layers {
  /** Switches row-level security off, or on again, for every table that has it; answers how many there are. */
  setRowLevelSecurity(isOn: boolean): Promise<number>;
  /** Has the services leave the project out of their statements, or name it again. */
  setScope(isNamed: boolean): Promise<void>;
  close(): Promise<void>;
}

/** What node is given before a service's script, so that {@link Layers.setScope} can reach it. */
export const scopeRemover = ["--import", new URL("./scope-remover.ts", import.meta.url).href];

export async function openLayers(system: System): Promise<Layers> {
  const admin = new Client({ connectionString: system.database.adminUrl });
  await admin.connect();
  const { rows: tables } = await admin.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relrowsecurity order by 1",
  );
  let isScopeNamed = true;
  let changes = 0;
  return {
    async setRowLevelSecurity(isOn) {
      const change = isOn ? "enable" : "disable";
      // One by one: all locks at once would be a deadlock with whoever is at work.
      for (const { name } of tables) await admin.query(`alter table ${name} ${change} row level security`);
      return tables.length;
    },
    async setScope(isNamed) {
      if (isNamed === isScopeNamed) return;
      isScopeNamed = isNamed;
      changes += 1;
      const word = `${isNamed ? "scope restored" : "scope removed"} (${changes})`;
      await Promise.all(
        [...Object.values(system.services), ...system.judges].map(async (service) => {
          process.kill(service.pid, "SIGUSR2");
          await waitUntil(`${service.name} says: ${word}`, async () => service.log().includes(word));
        }),
      );
    },
    close: () => admin.end(),
  };
}
