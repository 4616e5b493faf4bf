import { vi } from "vitest";

/** A promise and the function that fulfils it: how a test holds a judge until it says go. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits for a condition that another process or connection brings about. */
export async function until(condition: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(condition);
}
