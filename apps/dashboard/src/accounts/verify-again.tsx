import { useMutation } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { withNext } from "../shell/next-address.ts";
import { Button } from "../ui/button.tsx";
import { ProblemLine } from "../ui/states.tsx";

/** Mails the link that verifies an address once more. */
export function VerifyAgain({ email, next }: { email: string; next: string | null }) {
  const send = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.POST("/api/v1/auth/send-verification-email", {
          body: { email, callbackURL: withNext("/verify", next) },
        }),
      ),
  });
  if (send.isSuccess) {
    return (
      <p role="status" className="m-0 text-soft">
        A mail is on its way to {email}. The link in it works for an hour.
      </p>
    );
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button isBusy={send.isPending} disabled={email === ""} onClick={() => send.mutate()}>
        Mail the link again
      </Button>
      {send.error !== null && <ProblemLine problem={send.error} />}
    </div>
  );
}
