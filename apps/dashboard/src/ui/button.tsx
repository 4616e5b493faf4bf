import { Link, type LinkComponentProps } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { tooltipOf } from "./tooltip.tsx";

export type ButtonLook = "primary" | "plain" | "ghost" | "danger";

const looks: Record<ButtonLook, string> = {
  primary: "bg-accent text-on-accent border-accent hover:opacity-90 font-medium",
  plain: "bg-canvas text-ink border-line hover:bg-hover",
  ghost: "bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-canvas text-bad border-line hover:bg-bad-ground hover:border-bad",
};

/** The look of every button, also for links that act like buttons. */
export function buttonClasses(look: ButtonLook = "plain", extra?: string): string {
  return classNames(
    "inline-flex h-8 max-md:h-11 shrink-0 items-center justify-center gap-1.5 rounded-sm border px-3 text-sm whitespace-nowrap",
    "select-none transition-colors duration-100 disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:opacity-55",
    looks[look],
    extra,
  );
}

export interface ButtonProps extends Omit<ComponentProps<"button">, "title"> {
  look?: ButtonLook;
  /** Why it is disabled, or what it does; shown as a tooltip. */
  hint?: string | undefined;
  /** An action is pending: the button keeps its width and ignores further presses. */
  isBusy?: boolean;
}

/** A button. Pass the reason why it is disabled as `hint`: the button stays focusable so that users can read it. */
export function Button({ look, hint, isBusy, className, disabled, onClick, children, ...rest }: ButtonProps) {
  const isOff = disabled || isBusy;
  return (
    <button
      type="button"
      {...rest}
      {...tooltipOf(hint)}
      aria-busy={isBusy || undefined}
      {...(hint === undefined ? { disabled: isOff } : { "aria-disabled": isOff || undefined })}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      className={buttonClasses(look, className)}
    >
      {isBusy && (
        <span aria-hidden className="size-3 animate-spin rounded-full border-2 border-current border-t-transparent" />
      )}
      {children}
    </button>
  );
}

/** A button that shows only an icon; `label` is its accessible name. */
export function IconButton({ label, className, ...rest }: Omit<ButtonProps, "hint"> & { label: string }) {
  return (
    <Button
      look="ghost"
      aria-label={label}
      {...rest}
      {...tooltipOf(label)}
      className={classNames("w-8 max-md:w-11 px-0!", className)}
    />
  );
}

/** A link to another page of the dashboard that looks like a button. */
export function ButtonLink({
  look,
  className,
  ...rest
}: LinkComponentProps<"a"> & { look?: ButtonLook; className?: string }) {
  return <Link {...rest} className={buttonClasses(look, className)} />;
}
