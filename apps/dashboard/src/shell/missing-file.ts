/** How browsers say that a part of the application could not be loaded. */
const sentences = [
  /dynamically imported module/i, // Chromium, Firefox
  /importing a module script failed/i, // Safari
  /unable to preload css/i, // Vite
];

/** Whether something failed because a file of the dashboard is not there any more: the server has a newer one. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && sentences.some((sentence) => sentence.test(error.message));
}
