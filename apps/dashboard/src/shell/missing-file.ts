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
