import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Dialog } from "./dialog.tsx";
import { sheetGroups } from "./shortcut-sheet.ts";

export interface Shortcut {
  /** The key as typed: `j`, `?`, `Enter`, `Escape`, `Ctrl+k`, `Ctrl+Enter`, or a sequence of two: `g t`. */
  keys: string;
  /** Its action, for the cheat sheet. */
  label: string;
  run(event: KeyboardEvent): void;
}

interface Registry {
  openSheet(): void;
  add(group: string, shortcuts: () => readonly Shortcut[]): () => void;
  list(): readonly { group: string; shortcuts: () => readonly Shortcut[] }[];
  subscribe(listener: () => void): () => void;
}

const Context = createContext<Registry | null>(null);
const switchedOffName = "touchstone.shortcuts";
/** The timeout for the second key of a sequence. */
const pairMs = 1_000;

/**
 * Handles the keys bound inside it and shows their sheet on `?`. The sheet and the bindings come from one table. Where the user
 * switched the keys off, Escape and keys with Ctrl still work.
 */
export function Shortcuts({ children }: { children: ReactNode }) {
  const [isSheetOpen, setSheetOpen] = useState(false);
  const registry = useMemo(() => createRegistry(() => setSheetOpen(true)), []);
  const first = useRef<{ key: string; atMs: number } | null>(null);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      const typed = describeKey(event);
      const isTyping = isEditable(event.target);
      if (typed === null || (isTyping && !typed.startsWith("Ctrl+"))) return;
      if (isSwitchedOff() && typed !== "Escape" && !typed.startsWith("Ctrl+")) return;
      // A key of the page never takes the place of pressing what is focused.
      if (typed === "Enter" && isPressable(event.target)) return;
      // Toasts are non-modal dialogs.
      if (document.querySelector('[role="dialog"]:not([aria-modal="false"])') !== null && !typed.startsWith("Ctrl+"))
        return;
      const pair =
        first.current !== null && performance.now() - first.current.atMs < pairMs
          ? `${first.current.key} ${typed}`
          : null;
      first.current = null;
      // The last binding wins: its component was opened last.
      const all = registry
        .list()
        .flatMap(({ shortcuts }) => shortcuts())
        .reverse();
      const found = all.find(({ keys }) => keys === pair) ?? all.find(({ keys }) => keys === typed);
      if (typed === "?" && found === undefined) setSheetOpen(true);
      else if (found !== undefined) {
        event.preventDefault();
        found.run(event);
      } else if (all.some(({ keys }) => keys.startsWith(`${typed} `)))
        first.current = { key: typed, atMs: performance.now() };
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [registry]);

  return (
    <Context.Provider value={registry}>
      {children}
      <Dialog isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} title="Keyboard shortcuts" width="wide">
        <Sheet registry={registry} />
      </Dialog>
    </Context.Provider>
  );
}

/** Binds keys while the calling component is mounted. `group` is their heading in the sheet. */
export function useShortcuts(group: string, shortcuts: readonly Shortcut[]): void {
  const registry = useContext(Context);
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => registry?.add(group, () => latest.current), [registry, group]);
}

/** Returns a function that opens the sheet, for a control: it is the only way there while the keys are off. */
export function useShortcutSheet(): () => void {
  const registry = useContext(Context);
  return () => registry?.openSheet();
}

/** Takes the focus off a button or link: Enter then opens the row that a key moved to. Tab goes on from its place. */
export function leaveControl(): void {
  if (isPressable(document.activeElement)) document.activeElement.blur();
}

function Sheet({ registry }: { registry: Registry }) {
  const entries = useSyncExternalStore(registry.subscribe, registry.list);
  const groups = sheetGroups(entries.map(({ group, shortcuts }) => ({ group, shortcuts: shortcuts() })));
  const [isOff, setOff] = useState(isSwitchedOff);
  return (
    <>
      <div className="grid gap-6 sm:grid-cols-2">
        {groups.map(({ group, shortcuts }) => (
          <section key={group}>
            <h3 className="m-0 mb-2 text-sm">{group}</h3>
            <dl className="m-0 grid grid-cols-[6rem_1fr] gap-y-1">
              {shortcuts.map(({ keys, label }) => (
                <div key={keys} className="contents">
                  <dt>
                    {keys.split(" ").map((key) => (
                      <kbd key={key} className="mr-1 rounded-sm border border-line bg-panel px-1.5">
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd className="m-0">{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="mt-6 flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={!isOff}
          onChange={(event) => {
            setOff(!event.target.checked);
            localStorage.setItem(switchedOffName, event.target.checked ? "on" : "off");
          }}
        />
        Use keyboard shortcuts in this browser. Escape and keys with Ctrl always work.
      </label>
    </>
  );
}

const isSwitchedOff = (): boolean => localStorage.getItem(switchedOffName) === "off";

function createRegistry(openSheet: () => void): Registry {
  let entries: readonly { group: string; shortcuts: () => readonly Shortcut[] }[] = [];
  const listeners = new Set<() => void>();
  const change = (next: typeof entries): void => {
    entries = next;
    for (const listener of listeners) listener();
  };
  return {
    openSheet,
    add(group, shortcuts) {
      const entry = { group, shortcuts };
      change([...entries, entry]);
      return () => change(entries.filter((other) => other !== entry));
    },
    list: () => entries,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function describeKey(event: KeyboardEvent): string | null {
  if (event.altKey || ["Shift", "Control", "Meta", "Alt"].includes(event.key)) return null;
  const key = event.key === " " ? "Space" : event.key;
  // Letters arrive in capitals while Shift or Caps Lock is on.
  return event.ctrlKey || event.metaKey ? `Ctrl+${key.length === 1 ? key.toLowerCase() : key}` : key;
}

function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** Enter presses it. */
function isPressable(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.closest("a[href], button, summary") !== null;
}
