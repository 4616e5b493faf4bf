import { type LlmProvider, llmProviders, type ProviderKeys, type ShownLlmKeys } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { type Clock, maskSecret } from "@touchstone/service-kit";
import type { KeyVault } from "../project-keys/key-vault.ts";

/** The owner of provider keys: an organization, or the installation if a project has none. */
export type KeyHolder = string | null;

/** Changes of stored keys: a new one, null to remove it, absent to keep it. */
export type KeyChanges = Readonly<Partial<Record<LlmProvider, string | null>>>;

export interface ProviderKeyStore {
  /** Null if none is stored. */
  read(holder: KeyHolder): Promise<ProviderKeys>;
  change(transaction: Queryable, holder: KeyHolder, changes: KeyChanges): Promise<void>;
  /** Moves the installation's keys to the organization that takes its projects. */
  handOver(transaction: Queryable, organizationId: string): Promise<void>;
}

interface KeyRow {
  provider: LlmProvider;
  sealed_key: Buffer;
}

/** Stores {@link ProviderKeyStore} in the schema `auth`, under the app role. */
export function createProviderKeyStore(
  database: Database,
  { providerKeys: sealing }: Pick<KeyVault, "providerKeys">,
  clock: Clock,
): ProviderKeyStore {
  async function put(transaction: Queryable, holder: KeyHolder, provider: LlmProvider, key: string): Promise<void> {
    await transaction.query({
      name: "provider_key_put",
      text: `
        insert into auth.provider_keys (organization_id, provider, sealed_key, updated_at)
        values ($1, $2, $3, $4)
        on conflict (organization_id, provider) do update
        set sealed_key = excluded.sealed_key, updated_at = excluded.updated_at`,
      values: [holder, provider, sealing.seal(boundTo(holder, provider), key), new Date(clock.now())],
    });
  }

  return {
    async read(holder) {
      const { rows } = await database.query<KeyRow>({
        name: "provider_keys_read",
        text: `
          select provider, sealed_key
          from auth.provider_keys
          where organization_id is not distinct from $1`,
        values: [holder],
      });
      const keys: ProviderKeys = { openai: null, anthropic: null, gemini: null };
      for (const row of rows) keys[row.provider] = sealing.open(boundTo(holder, row.provider), row.sealed_key);
      return keys;
    },

    async change(transaction, holder, changes) {
      // Always in this order, so that concurrent changes cannot deadlock.
      for (const provider of llmProviders) {
        const key = changes[provider];
        if (key === null) {
          await transaction.query({
            name: "provider_key_remove",
            text: `
              delete from auth.provider_keys
              where organization_id is not distinct from $1 and provider = $2`,
            values: [holder, provider],
          });
        } else if (key !== undefined) {
          await put(transaction, holder, provider, key);
        }
      }
    },

    async handOver(transaction, organizationId) {
      const { rows } = await transaction.query<KeyRow>({
        name: "provider_keys_take",
        text: `
          delete from auth.provider_keys
          where organization_id is null
          returning provider, sealed_key`,
      });
      for (const { provider, sealed_key } of rows) {
        await put(transaction, organizationId, provider, sealing.open(boundTo(null, provider), sealed_key));
      }
    },
  };
}

/** The holder and provider that a sealed key is bound to: a row moved to another one cannot be opened. */
function boundTo(holder: KeyHolder, provider: LlmProvider): string {
  return `${holder ?? "installation"} ${provider}`;
}

/** Stored provider keys as the API shows them (completions 11.1, 11.3). */
export function showLlmKeys({ openai, anthropic, gemini }: ProviderKeys): ShownLlmKeys {
  return { openai: show(openai), anthropic: show(anthropic), gemini: show(gemini) };
}

function show(key: string | null): ShownLlmKeys["openai"] {
  return { configured: key !== null, masked: key === null ? null : maskSecret(key) };
}
