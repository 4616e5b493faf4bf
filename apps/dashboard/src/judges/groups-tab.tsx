import { Button } from "../ui/button.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { GroupEditor } from "./group-editor.tsx";
import { GroupTable } from "./group-table.tsx";
import type { Group, Judge } from "./queries.ts";

const newGroup = "new";

/** The scorer groups, with the editor of the open one beside them. */
export function GroupsTab({
  groups,
  judges,
  edited,
  onEdit,
}: {
  groups: readonly Group[];
  judges: readonly Judge[];
  /** The id of a group, or `new`. */
  edited: string | undefined;
  onEdit(id: string | undefined): void;
}) {
  const create = (): void => onEdit(newGroup);
  const close = (): void => onEdit(undefined);
  useShortcuts("Groups", [{ keys: "n", label: "New group", run: create }]);
  const group = groups.find(({ _id }) => _id === edited);
  const button = (
    <Button onClick={create}>
      <PlusIcon /> Group
    </Button>
  );
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {groups.length > 0 && (
          <div className="flex flex-wrap items-center gap-3 px-4 py-2 text-soft md:px-6">
            <span className="min-w-0 flex-1">Each makes one rating of several scorers.</span>
            {button}
          </div>
        )}
        <GroupTable
          groups={groups}
          judges={judges}
          onEdit={onEdit}
          emptyActions={button}
          isNarrow={edited !== undefined}
        />
      </div>
      {edited === newGroup && <GroupEditor key={newGroup} group={null} judges={judges} onClose={close} />}
      {group !== undefined && <GroupEditor key={group._id} group={group} judges={judges} onClose={close} />}
    </div>
  );
}
