import { useToasts } from "./toasts.tsx";

/**
 * Copies a text. Over plain HTTP beyond loopback browsers have no clipboard API; there the text of a selected field is copied.
 * Resolves to false if the browser refuses both.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copies a short text and confirms it by the name of what was copied. If the browser refuses, the message contains the text. */
export function useCopy(): (text: string, name: string) => Promise<void> {
  const toasts = useToasts();
  return async (text, name) => {
    if (await copyText(text)) toasts.say(`${name} copied.`);
    else toasts.fail(`This browser does not let pages copy: ${text}`);
  };
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "fixed opacity-0";
  // Dialogs and menus keep the focus inside.
  (focused?.closest("[role='dialog'], [role='menu']") ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
