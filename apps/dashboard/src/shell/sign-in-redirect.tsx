import { useEffect } from "react";

/** Goes to the sign-in page and comes back to this one afterwards. */
export function SignInRedirect() {
  useEffect(() => {
    const next = window.location.pathname + window.location.search;
    window.location.replace(`/sign-in?next=${encodeURIComponent(next)}`);
  }, []);
  return <p className="p-8 text-soft">Going to the sign-in page.</p>;
}
