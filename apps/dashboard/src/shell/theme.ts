import { useSyncExternalStore } from "react";

/** The user's choice; `system` follows the operating system. */
export type ThemeChoice = "light" | "dark" | "system";

const name = "touchstone.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function readChoice(): ThemeChoice {
  const stored = localStorage.getItem(name);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Same as `public/theme.js` does before the first paint. */
function apply(): void {
  const choice = readChoice();
  document.documentElement.dataset.theme = choice === "system" ? (system.matches ? "dark" : "light") : choice;
  for (const listener of listeners) listener();
}

system.addEventListener("change", apply);

/** The current choice, and a function that changes it. */
export function useTheme(): [ThemeChoice, (choice: ThemeChoice) => void] {
  const choice = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readChoice);
  return [
    choice,
    (next) => {
      if (next === "system") localStorage.removeItem(name);
      else localStorage.setItem(name, next);
      apply();
    },
  ];
}
