import { type ReactNode, useEffect } from "react";
import { classNames } from "./class-names.ts";
import { formatAge, formatMoment, formatTime } from "./format.ts";

export interface PageProps {
  title: string;
  /** Replaces the plain title, for example to add a status or a link. */
  heading?: ReactNode;
  /** Beside the title: counts, or a one-line description. */
  aside?: ReactNode;
  /** At the right: the actions on the whole page. */
  actions?: ReactNode;
  children: ReactNode;
  /** The content extends to the edges and scrolls by itself, as tables do. */
  isFull?: boolean;
}

/** A page below the bar. Sets the title of the tab. */
export function Page({ title, heading, aside, actions, children, isFull }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Touchstone`;
  }, [title]);
  return (
    <div className={classNames("flex min-w-0 flex-1 flex-col", isFull && "min-h-0")}>
      <header className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 md:px-6">
        <h1 className="m-0 min-w-0 truncate text-xl">{heading ?? title}</h1>
        {aside !== undefined && <div className="flex min-w-0 flex-wrap items-center gap-x-3 text-soft">{aside}</div>}
        {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className={classNames("flex min-w-0 flex-1 flex-col", isFull ? "min-h-0" : "gap-6 px-4 pb-8 md:px-6")}>
        {children}
      </div>
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({
  title,
  aside,
  actions,
  children,
  className,
}: {
  title: ReactNode;
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={classNames("min-w-0", className)}>
      <header className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="m-0 text-base">{title}</h2>
        {aside !== undefined && <div className="text-faint">{aside}</div>}
        {actions !== undefined && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A framed box. */
export function Panel({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classNames("min-w-0 rounded-md border border-line bg-canvas", className)}>{children}</div>;
}

/** A figure with its name, and its previous value. */
export function Stat({ label, children, note }: { label: ReactNode; children: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-faint">{label}</div>
      <div className="text-xl font-semibold tabular-nums">{children}</div>
      {note !== undefined && <div className="text-xs text-soft">{note}</div>}
    </div>
  );
}

/** A framed word: a status, a version, a count. */
export function Badge({
  children,
  look = "plain",
  title,
}: {
  children: ReactNode;
  look?: "plain" | "bad" | "warn" | "good";
  title?: string;
}) {
  const looks = {
    plain: "border-line text-soft",
    bad: "border-bad text-bad",
    warn: "border-warn text-warn",
    good: "border-good text-good",
  };
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex h-5 items-center gap-1 rounded-sm border px-1.5 text-xs whitespace-nowrap",
        looks[look],
      )}
    >
      {children}
    </span>
  );
}

/** A time: the clock time or date, with the full time in the title. */
export function Time({ iso, isAge }: { iso: string | null | undefined; isAge?: boolean }) {
  return (
    <time dateTime={iso ?? undefined} title={formatMoment(iso)} className="whitespace-nowrap">
      {isAge ? formatAge(iso) : formatTime(iso)}
    </time>
  );
}
