import type { Scenario } from "./scenario.ts";

/** Questions of developers to the search of the shop's API documentation. */
export const docs: readonly Scenario[] = [
  {
    query: "How do I page through orders?",
    expected: "Use limit and the cursor of next_cursor; it is null on the last page.",
    good: {
      text: "Send `limit` (at most 100) and pass `next_cursor` of each page as `cursor`. On the last page `next_cursor` is null.",
      rating: 9.4,
      because: "Both parameters and the end of the list are taken from the page on pagination.",
    },
    weak: {
      text: "Use the `limit` parameter.",
      rating: 4.6,
      because: "Without the cursor only the first page is reached.",
    },
    bad: {
      text: "Use `page` and `per_page`.",
      rating: 1.8,
      because: "These parameters do not exist in this API; the retrieved page speaks of cursors.",
    },
    context: ["Pagination: limit (max 100), cursor. next_cursor is null on the last page."],
    tools: ["search_docs"],
  },
  {
    query: "What is the rate limit?",
    expected: "600 requests a minute for each key; 429 with Retry-After beyond it.",
    good: {
      text: "600 requests a minute for each key. Beyond it you get 429 with a `Retry-After` header in seconds.",
      rating: 9.6,
      because: "The figure and the answer beyond it are both in the retrieved page.",
    },
    weak: {
      text: "There is a rate limit per key.",
      rating: 4.3,
      because: "True, but the 600 a minute were asked for.",
    },
    bad: { text: "There is no rate limit.", rating: 0.8, because: "The retrieved page states 600 requests a minute." },
    context: ["Limits: 600 requests per minute and key. 429 with Retry-After."],
    tools: ["search_docs"],
  },
  {
    query: "How are webhooks signed?",
    expected: "HMAC-SHA256 over id, timestamp and body, base64, in webhook-signature.",
    good: {
      text: "With HMAC-SHA256 over `id.timestamp.body`. The base64 value is in the `webhook-signature` header; refuse timestamps older than 5 minutes.",
      rating: 9.5,
      because: "Algorithm, content and header are right, and it warns of old timestamps.",
    },
    weak: {
      text: "They are signed with a secret.",
      rating: 4,
      because: "Neither the algorithm nor the header is named.",
    },
    bad: {
      text: "With an RSA key that you find at /.well-known/jwks.json.",
      rating: 1.4,
      because: "Webhooks are signed with HMAC-SHA256; there is no such key document.",
    },
    context: ["Webhooks: webhook-signature: v1,<base64 HMAC-SHA256 of id.timestamp.body>."],
    tools: ["search_docs"],
  },
  {
    query: "Can I create an order without a customer?",
    expected: "Yes, as a guest order: leave customer_id out and send email.",
    good: {
      text: "Yes. Leave `customer_id` out and send an `email`: that makes a guest order.",
      rating: 9.3,
      because: "It names both the field to leave out and the one to send.",
    },
    weak: {
      text: "Yes, guest orders are possible.",
      rating: 5.8,
      because: "Right, without how: the email is required.",
    },
    bad: {
      text: "No, `customer_id` is required.",
      rating: 2,
      because: "It is optional; the page on guest orders says so.",
    },
    context: ["Guest orders: omit customer_id, email is required."],
    tools: ["search_docs"],
  },
  {
    query: "Which status codes should I retry?",
    expected: "429 and 503, with Retry-After; never 4xx otherwise.",
    good: {
      text: "Retry 429 and 503 after the seconds of `Retry-After`. No other 4xx gets better by repeating it.",
      rating: 9.4,
      because: "Exactly the two codes of the documentation, with the header.",
    },
    weak: { text: "Retry on errors.", rating: 3.2, because: "Retrying a 400 never helps; the codes are missing." },
    bad: {
      text: "Retry every error up to 10 times at once.",
      rating: 1.5,
      because: "It ignores Retry-After and repeats requests that can never succeed.",
    },
    context: ["Errors: retry 429 and 503 only, honour Retry-After."],
    tools: ["search_docs"],
  },
  {
    query: "Is there a sandbox?",
    expected: "Yes: sandbox.api host, keys starting with sk_test, no real payments.",
    good: {
      text: "Yes. Use a key that starts with `sk_test_`; the sandbox moves no money and is emptied every Sunday.",
      rating: 9.1,
      because: "Key prefix and what the sandbox does, as documented.",
    },
    weak: { text: "Yes, there is one.", rating: 5, because: "It does not say how to reach it." },
    bad: {
      text: "No, test with small real payments.",
      rating: 1.2,
      because: "There is a sandbox. The advice costs money.",
    },
    context: ["Sandbox: keys sk_test_..., reset on Sundays, no payments."],
    tools: ["search_docs"],
  },
  {
    query: "How do I get only changed products?",
    expected: "updated_since with an ISO 8601 time; deleted ones come with deleted: true.",
    good: {
      text: "Pass `updated_since` with an ISO 8601 time. Deleted products come with `deleted: true`.",
      rating: 9.5,
      because: "The parameter and the deleted products are both answered.",
    },
    weak: {
      text: "Use `updated_since`.",
      rating: 6.2,
      because: "Right. The format and deleted products are not mentioned.",
    },
    bad: {
      text: "Download everything and compare.",
      rating: 2.1,
      because: "updated_since exists for exactly this.",
    },
    context: ["Products: updated_since (ISO 8601). Deleted items are listed with deleted: true."],
    tools: ["search_docs"],
  },
  {
    query: "Do you have a Python client?",
    expected: "Yes: pip install alder-client, Python 3.10 or newer.",
    good: {
      text: "Yes: `pip install alder-client`. It needs Python 3.10 or newer and retries 429 by itself.",
      rating: 9.3,
      because: "Package and version are those of the documentation.",
    },
    weak: { text: "Yes, there are several clients.", rating: 5.2, because: "The name of the package is missing." },
    bad: {
      text: "Yes: `pip install alder`.",
      rating: 2.3,
      because: "That package is somebody else's. Installing it would be a risk.",
    },
    context: ["Clients: Python (alder-client, 3.10+), TypeScript (@alder/client)."],
    tools: ["search_docs"],
  },
];
