import { useEffect, useState } from "react";

/**
 * A form's value that survives closing the page: this browser stores it until it is sent or discarded. `initial` is the value at
 * first and after that.
 */
export function useKeptDraft<Value extends object>(name: string, initial: Value) {
  const key = `touchstone.draft.${name}`;
  const [kept] = useState(() => readKept<Value>(key));
  const [value, setValue] = useState<Value>(kept === null ? initial : { ...initial, ...kept });
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial);
  useEffect(() => {
    if (!isChanged) localStorage.removeItem(key);
    else keep(key, JSON.stringify(value));
  }, [key, value, isChanged]);
  return {
    value,
    set: (change: Partial<Value>): void => setValue((before) => ({ ...before, ...change })),
    isChanged,
    /** The value comes from an earlier visit. */
    isRestored: kept !== null,
    discard: (): void => setValue(initial),
    /** Deletes the stored value after it was sent. */
    forget: (): void => localStorage.removeItem(key),
  };
}

/** A draft that is larger than the browser's storage lives only as long as the page. */
function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    localStorage.removeItem(key);
  }
}

function readKept<Value>(key: string): Partial<Value> | null {
  try {
    const text = localStorage.getItem(key);
    const value: unknown = text === null ? null : JSON.parse(text);
    return typeof value === "object" ? (value as Partial<Value> | null) : null;
  } catch {
    return null;
  }
}
