import type { BuiltinPattern } from "./builtin.ts";

/** Unambiguous words in their inflected forms. Mild words and words with a harmless meaning are left out. */
const words = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:` +
    [
      "(?:mother|clusters?)?fuck(?:s|ed|er|ers|ing|in|wit|face|up)?",
      "(?:bull|horse|dip|bat)?shit(?:s|ty|tier|ting|head|show|hole|face)?",
      "(?:son of a )?bitch(?:es|y|ing)?",
      "(?:ass|arse)hole(?:s)?",
      "(?:dumb|jack|smart|fat)ass(?:es)?",
      "cunt(?:s|y)?",
      "dickhead(?:s)?",
      "cocksucker(?:s)?",
      "wank(?:er|ers|ing)",
      "bollocks",
      "twat(?:s)?",
      "slut(?:s|ty)?",
      "whore(?:s)?",
      "bastard(?:s)?",
      "piss(?:ed)? off",
      "goddamn(?:ed|it)?",
    ].join("|") +
    String.raw`)(?![\p{L}\p{N}])`,
  "iu",
);

/** Swearing in the response (completions 9.3). */
export const profanityInResponse: BuiltinPattern = {
  key: "profanity-in-response",
  name: "Profanity in the response",
  description: "The response swears.",
  category: "tone",
  severity: "medium",
  find: (response) => (words.test(response) ? "The response swears." : null),
};
