import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { RubricView } from "../blocks/rubric-view.tsx";
import { settingsVersionsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { formatTime } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Judge } from "./queries.ts";
import { RubricDiff } from "./rubric-diff.tsx";

const route = getRouteApi("/p/$projectId/judges/$judgeId");

/** Any version of the rubric, as text or as changes from the previous version. */
export function RubricVersions({ judge }: { judge: Judge }) {
  const { version: chosen, changes } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/judges/$judgeId" });
  const versions = useQuery(settingsVersionsQuery(useApi(), judge._id));
  const all = versions.data ?? [];
  const shown = all.find(({ versionNumber }) => versionNumber === chosen) ?? all[0];
  const before = shown && all.find(({ versionNumber }) => versionNumber === shown.versionNumber - 1);
  return (
    <Section
      title="Rubric"
      actions={
        all.length > 1 && (
          <>
            {before !== undefined && (
              <Button
                look="ghost"
                aria-pressed={changes === true}
                onClick={() => void navigate({ search: (was) => ({ ...was, changes: changes ? undefined : true }) })}
              >
                {changes ? "Show the text" : `What changed from version ${before.versionNumber}`}
              </Button>
            )}
            <SelectField
              label="Version"
              isLabelHidden
              className="w-auto"
              value={shown?.versionNumber ?? ""}
              onChange={(event) => {
                const version = Number(event.target.value);
                const isNewest = version === all[0]?.versionNumber;
                void navigate({ search: (was) => ({ ...was, version: isNewest ? undefined : version }) });
              }}
            >
              {all.map(({ versionNumber, createdAt }, index) => (
                <option key={versionNumber} value={versionNumber}>
                  Version {versionNumber}
                  {index === 0 ? ", in force" : `, ${formatTime(createdAt)}`}
                </option>
              ))}
            </SelectField>
          </>
        )
      }
    >
      <Loaded query={versions} skeleton={chosen === undefined ? <RubricView rubric={judge.judge} /> : undefined}>
        {() =>
          shown === undefined ? (
            <RubricView rubric={judge.judge} />
          ) : (
            <>
              {changes && before !== undefined ? (
                <RubricDiff before={before.snapshot} after={shown.snapshot} />
              ) : (
                <RubricView rubric={shown.snapshot} />
              )}
              <p className="m-0 mt-3 text-xs text-faint">
                Version {shown.versionNumber}, <Time iso={shown.createdAt} />: {shown.changeSummary}
              </p>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
