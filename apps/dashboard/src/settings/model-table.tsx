import { useQuery } from "@tanstack/react-query";
import { refusalOf, useAdministers } from "../shell/role.ts";
import { useSession } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge } from "../ui/page.tsx";
import { formatPrice } from "./price-draft.ts";
import { providerName } from "./providers.ts";
import { catalogueQuery, type PricedModel } from "./queries.ts";

/** The catalogue with its prices. In a narrow window cache prices are shown only in the dialog. */
export function ModelTable({
  models,
  onEdit,
  onRemove,
}: {
  models: readonly PricedModel[];
  onEdit(model: PricedModel): void;
  onRemove(model: PricedModel): void;
}) {
  const refusal = refusalOf(useAdministers());
  const fixed = useFixedModels();
  const price = "w-24 text-right tabular-nums max-md:w-16";
  const cache = `${price} max-md:hidden`;
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <thead className="text-xs text-faint">
        <tr className="border-b border-line [&_th]:h-8 [&_th]:font-normal">
          <th scope="col">Model</th>
          <th scope="col" className={price}>
            Input
          </th>
          <th scope="col" className={price}>
            Output
          </th>
          <th scope="col" className={cache}>
            Cache read
          </th>
          <th scope="col" className={cache}>
            Cache write
          </th>
          <th scope="col" className="w-12">
            <span className="sr-only">Acts</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => {
          const because = refusal ?? (fixed.has(model.id) ? "the same for every organization" : undefined);
          return (
            <tr key={model.id} className="h-12 border-b border-line">
              <td className="min-w-0 pr-2">
                <div className="flex min-w-0 items-center gap-2">
                  <span className="truncate">{model.label}</span>
                  {model.provider === "custom" && <Badge title={model.baseUrl ?? ""}>own endpoint</Badge>}
                </div>
                <div className="truncate text-xs text-faint">
                  <span className="font-mono">{model.id}</span> · {providerName(model.provider)}
                </div>
              </td>
              <td className={price}>{formatPrice(model.pricePerMInputTokens)}</td>
              <td className={price}>{formatPrice(model.pricePerMOutputTokens)}</td>
              <td className={cache}>{formatPrice(model.pricePerMCacheReadTokens)}</td>
              <td className={cache}>{formatPrice(model.pricePerMCacheWriteTokens)}</td>
              <td className="text-right">
                <Menu
                  align="end"
                  trigger={
                    <IconButton label={`Change ${model.label}`}>
                      <MoreIcon />
                    </IconButton>
                  }
                  items={[
                    { label: "Change", onChoose: () => onEdit(model), disabledBecause: because },
                    { label: "Remove", look: "danger", onChoose: () => onRemove(model), disabledBecause: because },
                  ]}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** With several tenants the built-in models are read-only, because all of them share these. */
function useFixedModels(): ReadonlySet<string> {
  const { api, config } = useSession();
  const isShared = config.mode === "enabled" && config.multiTenant;
  const catalogue = useQuery({ ...catalogueQuery(api), enabled: isShared });
  const models = isShared ? (catalogue.data?.models ?? []) : [];
  return new Set(models.filter(({ source }) => source === "builtin").map(({ id }) => id));
}
