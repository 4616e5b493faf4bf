import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "./class-names.ts";

const control =
  "w-full rounded-sm border border-control bg-canvas px-2.5 text-sm text-ink disabled:opacity-55 aria-invalid:border-bad";

interface Labelled {
  label: ReactNode;
  /** Help text in a line below. */
  hint?: ReactNode;
  /** The error of the current input. */
  error?: ReactNode;
  /** Hides the label except from screen readers, if the context makes it obvious. */
  isLabelHidden?: boolean;
}

/** A label, its control, and its hint or error. */
function Labelling({
  id,
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="m-0 text-xs text-faint">
          {hint}
        </p>
      )}
      {error !== undefined && error !== null && (
        <p id={`${id}-error`} role="alert" className="m-0 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

function described(id: string, { hint, error }: Pick<Labelled, "hint" | "error">) {
  const names = [hint !== undefined && `${id}-hint`, error != null && `${id}-error`].filter(Boolean).join(" ");
  return { "aria-describedby": names || undefined, "aria-invalid": error != null || undefined };
}

/** The API truncates longer search terms, and URLs have a limit. */
const searchMaxChars = 200;

/** One line of text. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...rest
}: Labelled & ComponentProps<"input">) {
  const id = useId();
  return (
    <Labelling {...{ id, label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      <input
        type="text"
        maxLength={rest.type === "search" ? searchMaxChars : undefined}
        {...rest}
        id={id}
        {...described(id, { hint, error })}
        className={classNames(control, "h-8 max-md:h-11", className)}
      />
    </Labelling>
  );
}

/** Text of several lines. */
export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...rest
}: Labelled & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <Labelling {...{ id, label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      <textarea
        rows={4}
        {...rest}
        id={id}
        {...described(id, { hint, error })}
        className={classNames(control, "py-1.5", className)}
      />
    </Labelling>
  );
}

/** One of a few values. */
export function SelectField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...rest
}: Labelled & ComponentProps<"select">) {
  const id = useId();
  return (
    <Labelling {...{ id, label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      <select
        {...rest}
        id={id}
        {...described(id, { hint, error })}
        className={classNames(control, "h-8 max-md:h-11", className)}
      />
    </Labelling>
  );
}

/** A checkbox. */
export function CheckField({ label, hint, ...rest }: Pick<Labelled, "label" | "hint"> & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        {...rest}
        type="checkbox"
        id={id}
        {...described(id, { hint, error: null })}
        className="mt-0.5 size-4 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="m-0 text-xs text-faint">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
