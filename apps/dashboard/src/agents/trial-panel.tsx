import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";

interface TrialPanelProps<Span extends string> {
  /** On how much it is tried, before the choice of the time. */
  amount?: string;
  spans: Readonly<Record<Span, string>>;
  span: Span;
  onSpan(span: Span): void;
  /** Why it cannot be tried yet. */
  missing: string | undefined;
  isBusy: boolean;
  problem: unknown;
  onTry(): void;
  /** The result; null before the first trial. */
  children: ReactNode;
}

/** Tries the contents of an editor before they are saved: the period, the button, and the result. */
export function TrialPanel<Span extends string>(props: TrialPanelProps<Span>) {
  const { amount, spans, span, onSpan, missing, isBusy, problem, onTry, children } = props;
  return (
    <section aria-label="Trial" className="flex flex-col gap-3 rounded-md bg-panel p-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">Try it on</span>
        {amount !== undefined && <span>{amount}</span>}
        <div className="w-44">
          <SelectField
            label="Time it is tried on"
            isLabelHidden
            value={span}
            onChange={({ target }) => onSpan(target.value as Span)}
          >
            {(Object.keys(spans) as Span[]).map((each) => (
              <option key={each} value={each}>
                {spans[each]}
              </option>
            ))}
          </SelectField>
        </div>
        <Button
          isBusy={isBusy}
          disabled={missing !== undefined}
          {...(missing !== undefined && { hint: missing })}
          onClick={onTry}
        >
          Try it
        </Button>
      </div>
      {problem !== null && <ProblemLine problem={problem} />}
      {children !== null && (
        <div aria-live="polite" className="flex flex-col gap-2">
          {children}
        </div>
      )}
    </section>
  );
}
