import type { BuiltinPattern } from "./builtin.ts";

const inability = String.raw`(?:can(?:no|')?t|can not|could(?:n't| not)|won't|will not|(?:am|'m)\s+(?:not able|unable)\s+to|(?:am|'m)\s+not\s+(?:allowed|permitted)\s+to)`;
const serving =
  "(?:help|assist|provide|comply|answer|do that|fulfil+|discuss|share|give|complete|support|process|respond|create|generate|write|continue|engage|offer|disclose)";

const forms: readonly RegExp[] = [
  new RegExp(
    String.raw`\bi\s?(?:'m\s+sorry,?\s+(?:but\s+)?i\s?)?(?:\s*(?:really|simply|just|unfortunately)\s+)?${inability}\s+(?:be\s+able\s+to\s+)?(?:\w+ly\s+)?${serving}\b`,
    "i",
  ),
  new RegExp(
    String.raw`\b(?:sorry|apologi[sz]e|unfortunately),?\s+(?:but\s+|for\s+\w+\s+\w+,?\s+(?:but\s+)?)?(?:i|we)\s?${inability}\b`,
    "i",
  ),
  /\bas an? (?:ai|artificial intelligence|large language|language)(?: language)?(?: model| assistant)?,?\s+i\s+(?:do not|don't|cannot|can't|am not|am unable|have no)\b/i,
  /\b(?:i|we)\s+(?:must|have to|need to|will have to|respectfully)\s+(?:decline|refuse)\b/i,
  /\bi\s+(?:decline|refuse)\s+to\b/i,
  /\b(?:that|this|it)\s+(?:is|would be|goes)\s+(?:against|outside(?: of)?|beyond)\s+(?:my|our)\s+(?:guidelines|policy|policies|programming|capabilities|scope)\b/i,
  /\bi(?:'m| am)\s+not\s+(?:comfortable|in a position to)\b/i,
];

/** The response refuses the request (completions 9.3). */
export const refusalResponse: BuiltinPattern = {
  key: "refusal-response",
  name: "Refusal",
  description: "The response declines what was asked.",
  category: "quality",
  severity: "low",
  find(response) {
    const text = response.replaceAll("’", "'");
    return forms.some((form) => form.test(text)) ? "The response declines what was asked." : null;
  },
};
