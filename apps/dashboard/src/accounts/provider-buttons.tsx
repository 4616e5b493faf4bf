import { useMutation } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { withNext } from "../shell/next-address.ts";
import { Button } from "../ui/button.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { AccountsConfig } from "./entry.tsx";

const names = { google: "Google", github: "GitHub" } as const;

/** Sign-in by the providers of this installation; nothing where there are none. The way back leads through the sign-in page. */
export function ProviderButtons({ config, next }: { config: AccountsConfig; next: string | null }) {
  const callbackURL = withNext("/sign-in", next);
  const begin = useMutation({
    mutationFn: async (provider: "google" | "github" | "oidc") => {
      const { url } = await bodyOf(
        provider === "oidc"
          ? accountApi.POST("/api/v1/auth/sign-in/oauth2", { body: { providerId: provider, callbackURL } })
          : accountApi.POST("/api/v1/auth/sign-in/social", { body: { provider, callbackURL } }),
      );
      window.location.assign(url);
    },
  });
  const providers = [
    ...config.socialProviders.map((key) => ({ key, name: names[key] })),
    ...(config.oidc === null ? [] : [{ key: "oidc" as const, name: config.oidc.name }]),
  ];
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      {providers.map(({ key, name }) => (
        <Button
          key={key}
          className="w-full"
          isBusy={begin.isPending && begin.variables === key}
          onClick={() => begin.mutate(key)}
        >
          Continue with {name}
        </Button>
      ))}
      {begin.error !== null && <ProblemLine problem={begin.error} />}
      <div className="my-1 flex items-center gap-3 text-xs text-faint">
        <span className="h-px flex-1 bg-line" /> or <span className="h-px flex-1 bg-line" />
      </div>
    </div>
  );
}
