import { expect, test } from "vitest";
import { isReturnAddress, refuseForeignReturn } from "../src/accounts/return-address.ts";

const trusted = ["https://touchstone.example.com", "https://dashboard.example.com"];

const foreign = [
  "https://evil.example",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\u0000/evil.example",
  "/%2f/evil.example",
  "/%2Fevil.example",
  "/%5cevil.example",
  "/..//evil.example",
  "/.//evil.example",
  "/%2e%2e//evil.example",
  "/a/../..//evil.example",
  "/a/..//evil.example",
  "https:evil.example",
  "https:/evil.example",
  "https:\\\\evil.example",
  "http://touchstone.example.com",
  "https://touchstone.example.com.evil.example",
  "https://touchstone.example.com@evil.example",
  "https://user@touchstone.example.com",
  "https://:password@touchstone.example.com",
  "https://touchstone.example.com:8443",
  "https://evil.example#touchstone.example.com",
  "https://evil.example?https://touchstone.example.com",
  "https://evil.example/https://touchstone.example.com",
  "https://eviltouchstone.example.com",
  "https://touchstone.example.com\\@evil.example",
  "https://dashboard.example.com.evil.example",
  " https://evil.example",
  "https://touchstone.example.com ",
  "\u0001https://evil.example",
  "HTTPS://EVIL.EXAMPLE",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://touchstone.example.com/x",
  "view-source:https://touchstone.example.com",
  "touchstone://x",
  "evil.example",
  "?next=https://evil.example",
  "#https://evil.example",
  "https://[::1]",
  "https://127.0.0.1",
  "https://2130706433",
  "https://touchstone%2eexample.com.evil.example",
  "https://touchstone\u3002example.com.evil.example",
  "https://*.example.com",
  "https://",
  "http:",
];

test.each(foreign)("a browser is not sent to %j", (address) => {
  expect(isReturnAddress(address, trusted)).toBe(false);
});

test.each([
  "/",
  "/welcome",
  "/a/b?c=d//e&f=https://evil.example#//g",
  "/a//b",
  "/..",
  "https://touchstone.example.com",
  "https://touchstone.example.com/a?b=c#d",
  "HTTPS://Dashboard.Example.COM:443/a",
])("a browser is sent to %j", (address) => {
  expect(isReturnAddress(address, trusted)).toBe(true);
});

test("a page is looked for in the body and in the query, however often it is named", () => {
  const refused = (path: string, body: object | null = null) =>
    (refuseForeignReturn({ path, body: body && JSON.stringify(body) }, trusted)?.body as { code: string } | undefined)
      ?.code ?? null;

  expect(refused("/x", { callbackURL: "//evil.example" })).toBe("INVALID_CALLBACK_URL");
  expect(refused("/x", { redirectTo: "//evil.example" })).toBe("INVALID_REDIRECT_URL");
  expect(refused("/x?callbackURL=/good&callbackURL=//evil.example")).toBe("INVALID_CALLBACK_URL");
  expect(refused("/x?callbackURL=/good", { callbackURL: "/good", redirectTo: "" })).toBeNull();
  expect(refused("/x", null)).toBeNull();
});
