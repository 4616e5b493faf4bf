import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { withNext } from "./next-address.ts";

/** Redirects to the sign-in page, which returns to this address. */
export function SignInRedirect() {
  return <Redirect address={withNext("/sign-in", window.location.pathname + window.location.search)} />;
}

/** Replaces this page by another one of the dashboard, given by its full address. */
export function Redirect({ address }: { address: string }) {
  const { history } = useRouter();
  useEffect(() => history.replace(address), [history, address]);
  return null;
}
