import type { Statement } from "@touchstone/db";
import type { KeyVault } from "./key-vault.ts";

/** A project has one key. A duplicate fingerprint fails: 190 random bits do not repeat. */
export const insertProjectKey = (vault: KeyVault, projectId: string, apiKey: string, at: Date): Statement => ({
  name: "project_key_insert",
  text: `
    insert into auth.project_keys (project_id, fingerprint, sealed_key, created_at)
    values ($1, $2, $3, $4)`,
  values: [projectId, vault.fingerprint(apiKey), vault.seal(projectId, apiKey), at],
});

/** No row: the project does not exist, or is being deleted. */
export const selectProjectKey = (projectId: string): Statement => ({
  name: "project_key_read",
  text: "select sealed_key from auth.project_keys where project_id = $1",
  values: [projectId],
});

/** One key: that of the default project, else that of the newest one; no row if there is none. */
export const selectOneProjectKey: Statement = {
  name: "project_key_read_one",
  text: `
    select key.project_id, key.sealed_key
    from auth.project_keys key
    join auth.projects project on project.id = key.project_id
    order by project.is_default desc, project.id desc
    limit 1`,
};

/** By the unique index on the fingerprint; no secret is compared. */
export const selectKeyOwner = (fingerprint: Buffer): Statement => ({
  name: "project_key_resolve",
  text: `
    select key.project_id, project.organization_id
    from auth.project_keys key
    join auth.projects project on project.id = key.project_id
    where key.fingerprint = $1`,
  values: [fingerprint],
});
