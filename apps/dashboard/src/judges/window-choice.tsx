import { classNames } from "../ui/class-names.ts";
import { type Window, windows } from "./queries.ts";

const names: Record<Window, string> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" };

/** The period of live ratings. */
export function WindowChoice({ chosen, onChoose }: { chosen: Window; onChoose(window: Window): void }) {
  return (
    <fieldset className="m-0 flex rounded-sm border border-line p-0">
      <legend className="sr-only">Time shown</legend>
      {windows.map((window) => (
        <button
          key={window}
          type="button"
          aria-pressed={window === chosen}
          onClick={() => onChoose(window)}
          className={classNames(
            "h-8 border-r border-line px-3 last:border-r-0 max-md:h-11",
            window === chosen ? "bg-chosen font-medium text-ink" : "text-soft hover:bg-hover",
          )}
        >
          {names[window]}
        </button>
      ))}
    </fieldset>
  );
}
