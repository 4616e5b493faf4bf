import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { ChevronDownIcon } from "./icons.tsx";
import { Menu } from "./menu.tsx";

export interface Named {
  value: string;
  label: string;
}

/** One filter of a list as a menu; its button shows the current choice. */
export function FilterMenu({
  label,
  all = "All",
  chosen,
  options,
  onChoose,
}: {
  label: string;
  /** The label for no filter. */
  all?: string;
  chosen: string | undefined;
  options: readonly Named[];
  onChoose(value: string | undefined): void;
}) {
  const name = chosen === undefined ? null : (options.find(({ value }) => value === chosen)?.label ?? chosen);
  return (
    <Menu
      trigger={
        <Button className={classNames("max-w-64", name === null ? "text-soft" : "bg-chosen")}>
          <span className="truncate">
            {name === null ? (
              label
            ) : (
              <>
                <span className="sr-only">{label}: </span>
                {name}
              </>
            )}
          </span>
          <ChevronDownIcon className="size-3.5" />
        </Button>
      }
      items={[
        { label: all, isChosen: chosen === undefined, onChoose: () => onChoose(undefined) },
        null,
        ...options.map(({ value, label: option }) => ({
          label: option,
          isChosen: value === chosen,
          onChoose: () => onChoose(value),
        })),
      ]}
    />
  );
}
