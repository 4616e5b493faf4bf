const sentences: Readonly<Record<string, string>> = {
  access_denied: "The provider did not let you in, or you cancelled.",
  account_not_linked:
    "There is an account with this address that signs in with a password. Sign in with it; verify the address to use both.",
  email_not_found: "The provider did not tell your e-mail address.",
  email_not_verified: "The provider has not verified your e-mail address.",
  please_restart_the_process: "The sign-in took too long, or began in another browser. Try again.",
  state_mismatch: "The sign-in took too long, or began in another browser. Try again.",
  state_not_found: "The sign-in took too long, or began in another browser. Try again.",
};

/** The message for a failed sign-in by a provider, from the code in the address it returns to. */
export function providerProblem(code: string): string {
  return (
    sentences[code.toLowerCase()] ??
    `The sign-in failed (${code.replaceAll(/[^\w-]+/g, " ").slice(0, 60)}). Try again, or ask who runs this installation.`
  );
}
