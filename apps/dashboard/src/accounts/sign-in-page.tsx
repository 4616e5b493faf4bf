import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { sessionQuery } from "../shell/account.ts";
import { readNext, withNext } from "../shell/next-address.ts";
import { SignInForm } from "../shell/sign-in-form.tsx";
import { Redirect } from "../shell/sign-in-redirect.tsx";
import { Entry, EntryLink } from "./entry.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { providerProblem } from "./provider-problem.ts";
import { useGoOn } from "./use-go-on.ts";
import { VerifyAgain } from "./verify-again.tsx";

/** Signing in. A user who returns from a provider with a session is forwarded at once. */
export function SignInPage() {
  const search = useSearch({ from: "/sign-in" });
  const next = readNext(search.next);
  const session = useQuery(sessionQuery);
  const goOn = useGoOn();
  if (session.data) return <Redirect address={next ?? "/"} />;
  return (
    <Entry title="Sign in">
      {(config) =>
        config.needsSetup ? (
          <Redirect address={withNext("/sign-up", next)} />
        ) : (
          <>
            {search.error !== undefined && (
              <p role="alert" className="m-0 rounded-sm bg-bad-ground px-2.5 py-1.5 text-bad">
                {providerProblem(search.error)}
              </p>
            )}
            <ProviderButtons config={config} next={next} />
            <SignInForm
              onSignedIn={() => goOn(next)}
              renderUnverified={(email) => config.emailEnabled && <VerifyAgain email={email} next={next} />}
            >
              {config.emailEnabled && (
                <EntryLink to="/reset-password" next={next}>
                  Forgot the password?
                </EntryLink>
              )}
            </SignInForm>
            <p className="m-0 text-soft">
              No account yet?{" "}
              <EntryLink to="/sign-up" next={next}>
                Sign up
              </EntryLink>
            </p>
          </>
        )
      }
    </Entry>
  );
}
