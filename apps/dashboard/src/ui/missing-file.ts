import { useSyncExternalStore } from "react";

/** The browsers' messages for a part of the application that could not be loaded. */
const sentences = [
  /dynamically imported module/i, // Chromium, Firefox
  /importing a module script failed/i, // Safari
  /unable to preload css/i, // Vite
];

/** Whether an error was caused by a file of the dashboard that no longer exists because the server was upgraded. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && sentences.some((sentence) => sentence.test(error.message));
}

let isReported = false;
const listeners = new Set<() => void>();

/** Reports that a part of the open page could not be loaded. The page stays, with what was typed in it. */
export function reportMissingFile(): void {
  isReported = true;
  for (const listener of listeners) listener();
}

/** Whether a part of this page was reported as missing since the page was loaded. */
export function useHasMissingFile(): boolean {
  return useSyncExternalStore(subscribe, () => isReported);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
