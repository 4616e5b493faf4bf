import { deadlines, limits } from "@touchstone/contracts";
import fc from "fast-check";
import { afterAll, vi } from "vitest";

/*
 * A setup file of every Vitest project: it runs before each test file. The files of a worker share `vi`.
 */

/**
 * `vi.waitFor` and `vi.waitUntil` give up after 90 s by default. Vitest's own default is one second, which is short on
 * a slow machine, and it has a setting for `expect.poll` only.
 */
const timeout = 90_000;

type Options = Parameters<typeof vi.waitFor>[1];

const withPatience = (options: Options): Options => (typeof options === "number" ? options : { timeout, ...options });

if (vi.waitFor.name !== "waitForPatiently") {
  const { waitFor, waitUntil } = vi;
  vi.waitFor = function waitForPatiently(check, options) {
    return waitFor(check, withPatience(options));
  };
  vi.waitUntil = (check, options) => waitUntil(check, withPatience(options));
}

// Every run generates the same values, so that no change fails because of an unrelated bug. `npm run fuzz` looks for
// new ones.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TOUCHSTONE_FUZZ_SEED ?? 20_261_124) });

// The files of a worker share these objects. Without this, a small limit that one file sets would fail the next one.
const usual = { limits: { ...limits }, deadlines: { ...deadlines }, environment: { ...process.env } };

afterAll(() => {
  Object.assign(limits, usual.limits);
  Object.assign(deadlines, usual.deadlines);
  for (const name of Object.keys(process.env)) if (!(name in usual.environment)) delete process.env[name];
  Object.assign(process.env, usual.environment);
});
