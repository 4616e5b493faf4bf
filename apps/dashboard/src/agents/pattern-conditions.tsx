import { Button, IconButton } from "../ui/button.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { PlusIcon, TrashIcon } from "../ui/icons.tsx";
import { emptyCondition, joins, type PatternCondition, type PatternDraft, withCondition } from "./pattern-draft.ts";

/** The API's limit. */
const conditionsMost = 20;

const detectors: Record<PatternCondition["detector"], string> = {
  contains: "contains",
  phrase: "has the words",
  regex: "matches the regular expression",
  semantic: "means (a judge decides)",
};

const hints: Record<PatternCondition["detector"], string> = {
  contains: "Any part of the text, also within words.",
  phrase: "Whole words in this order; space does not count.",
  regex: "RE2 syntax, without lookaround and backreferences.",
  semantic: "Say what the text would mean. Each trace costs a call of the judge's model.",
};

const sources = [
  ["response", "Answer"],
  ["userMessage", "Question"],
  ["trace", "Whole trace"],
] as const;

/** What makes a trace match, read from top to bottom. */
export function PatternConditions({ draft, onChange }: { draft: PatternDraft; onChange(draft: PatternDraft): void }) {
  return (
    <fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
      <legend className="mb-1 p-0 text-sm font-medium">A trace matches when</legend>
      {draft.conditions.map((condition, at) => (
        <Condition
          key={at}
          at={at}
          condition={condition}
          isOnly={draft.conditions.length === 1}
          onChange={(change) => onChange(withCondition(draft, at, change))}
        />
      ))}
      <div>
        <Button
          disabled={draft.conditions.length >= conditionsMost}
          onClick={() => onChange({ ...draft, conditions: [...draft.conditions, emptyCondition] })}
        >
          <PlusIcon /> Condition
        </Button>
      </div>
    </fieldset>
  );
}

function Condition({
  at,
  condition,
  isOnly,
  onChange,
}: {
  at: number;
  condition: PatternCondition;
  isOnly: boolean;
  onChange(change: Partial<PatternCondition> | null): void;
}) {
  const { connector, negate, detector, value, caseSensitive } = condition;
  const text = { label: `Text of condition ${at + 1}`, isLabelHidden: true, hint: hints[detector], value };
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-md:gap-x-3">
        {(at > 0 || connector === "nor") && (
          <div className="w-24">
            <SelectField
              label={`How condition ${at + 1} is joined`}
              isLabelHidden
              value={connector}
              onChange={({ target }) => onChange({ connector: target.value as PatternCondition["connector"] })}
            >
              {(Object.keys(joins) as PatternCondition["connector"][]).map((join) => (
                <option key={join} value={join}>
                  {joins[join]}
                </option>
              ))}
            </SelectField>
          </div>
        )}
        {sources.map(([source, label]) => (
          <CheckField
            key={source}
            label={label}
            checked={condition.sources.includes(source)}
            onChange={({ target }) =>
              onChange({
                sources: target.checked
                  ? [...condition.sources, source]
                  : condition.sources.filter((other) => other !== source),
              })
            }
          />
        ))}
        {!isOnly && (
          <IconButton label={`Remove condition ${at + 1}`} className="ml-auto" onClick={() => onChange(null)}>
            <TrashIcon />
          </IconButton>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="w-60 max-md:w-full">
          <SelectField
            label={`How condition ${at + 1} looks`}
            isLabelHidden
            value={detector}
            onChange={({ target }) => onChange({ detector: target.value as PatternCondition["detector"] })}
          >
            {(Object.keys(detectors) as PatternCondition["detector"][]).map((each) => (
              <option key={each} value={each}>
                {detectors[each]}
              </option>
            ))}
          </SelectField>
        </div>
        <CheckField label="Not" checked={negate} onChange={({ target }) => onChange({ negate: target.checked })} />
        {detector !== "semantic" && (
          <CheckField
            label="Match case"
            checked={caseSensitive}
            onChange={({ target }) => onChange({ caseSensitive: target.checked })}
          />
        )}
      </div>
      {detector === "semantic" ? (
        <TextArea {...text} rows={3} onChange={({ target }) => onChange({ value: target.value })} />
      ) : (
        <TextField
          {...text}
          className={detector === "regex" ? "font-mono" : ""}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ value: target.value })}
          // A pattern is tried before it is saved: Enter alone does not save it.
          onKeyDown={(event) => event.key === "Enter" && !event.ctrlKey && !event.metaKey && event.preventDefault()}
        />
      )}
    </div>
  );
}
