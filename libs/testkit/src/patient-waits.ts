import { vi } from "vitest";

/**
 * A setup file of every project: `vi.waitFor` and `vi.waitUntil` give up after 30 s unless a test says otherwise. Vitest
 * gives up after one second, which is short on a slow machine, and has a setting for `expect.poll` only.
 */
const timeout = 30_000;

type Options = Parameters<typeof vi.waitFor>[1];

const withPatience = (options: Options): Options => (typeof options === "number" ? options : { timeout, ...options });

// Run before each test file; the files of a worker share `vi`.
if (vi.waitFor.name !== "waitForPatiently") {
  const { waitFor, waitUntil } = vi;
  vi.waitFor = function waitForPatiently(check, options) {
    return waitFor(check, withPatience(options));
  };
  vi.waitUntil = (check, options) => waitUntil(check, withPatience(options));
}
