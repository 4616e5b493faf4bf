import { Client } from "pg";
import type { CombinedSystem } from "../start-combined.ts";
import { waitUntil } from "../wait-until.ts";

/** The two layers that separate tenants, each of which can be disabled. Start the system with {@link scopeRemover}. */
export interface Layers {
  /** Disables or enables row-level security for every table that has it; returns their number. */
  setRowLevelSecurity(isOn: boolean): Promise<number>;
  /** Makes the services omit the project from their statements, or name it again. */
  setScope(isNamed: boolean): Promise<void>;
  close(): Promise<void>;
}

/** The loader with which {@link Layers.setScope} works. */
export const scopeRemover = ["--import", new URL("./scope-remover.ts", import.meta.url).href];

export async function openLayers(system: CombinedSystem): Promise<Layers> {
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
      // One by one: taking all locks at once would deadlock with working services.
      for (const { name } of tables) await admin.query(`alter table ${name} ${change} row level security`);
      return tables.length;
    },
    async setScope(isNamed) {
      if (isNamed === isScopeNamed) return;
      isScopeNamed = isNamed;
      changes += 1;
      const word = `${isNamed ? "scope restored" : "scope removed"} (${changes})`;
      process.kill(system.pid, "SIGUSR2");
      await waitUntil(`the process says: ${word}`, async () => system.log().includes(word));
    },
    close: () => admin.end(),
  };
}
