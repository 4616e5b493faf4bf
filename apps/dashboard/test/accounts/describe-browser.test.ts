import { expect, test } from "vitest";
import { describeBrowser } from "../../src/accounts/describe-browser.ts";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/156.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0`, "Edge on Windows"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on macOS"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) AppleWebKit/605.1 Version/20.0 Mobile/15E148 Safari/604.1",
    "Safari on iOS",
  ],
  [`Mozilla/5.0 (Linux; Android 16) ${webKit} Chrome/156.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  ["curl/8.14.1", "curl"],
  ["", "Unknown browser"],
  [null, "Unknown browser"],
])("%s is %s", (userAgent, described) => {
  expect(describeBrowser(userAgent)).toBe(described);
});
