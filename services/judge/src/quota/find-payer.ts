import { KeysUnavailableError, type ProjectKeysReader } from "../providers/project-keys.ts";
import type { CallOptions } from "../providers/provider.ts";
import { JudgeBudgetError, type Payer } from "./judge-budget.ts";

/**
 * Finds the payer whose quota a call counts against. Rejects with {@link JudgeBudgetError} when it cannot be determined.
 */
export type FindPayer = (call: CallOptions) => Promise<Payer>;

/**
 * completions 1.4: in multi-tenant mode the project's organization, else the installation. Without a quota there is no look-up.
 */
export function createPayerFinder(projectKeys: ProjectKeysReader, callsPerDay: number | null): FindPayer {
  return async (call) => {
    if (callsPerDay === null) return { kind: "instance" };
    try {
      const { isTenant, organizationId } = await projectKeys.read(call, { waits: false });
      return isTenant ? { kind: "organization", id: organizationId ?? call.group } : { kind: "instance" };
    } catch (thrown) {
      if (!(thrown instanceof KeysUnavailableError)) throw thrown;
      throw new JudgeBudgetError("The judge-call quota that applies is unknown at the moment, so no judge was asked.", {
        isPassing: true,
        cause: thrown,
      });
    }
  };
}
