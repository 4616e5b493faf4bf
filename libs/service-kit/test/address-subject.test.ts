import { expect, test } from "vitest";
import { addressSubjectOf } from "../src/index.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::192.0.2.33", "64:ff9b:0:0::/64"],
  ["1:2:3:4:5:6:192.0.2.33", "1:2:3:4::/64"],
])("%s counts as %s", (address, subject) => {
  expect(addressSubjectOf(address, "198.51.100.1")).toBe(subject);
});

test("an invalid address counts as the connection's own", () => {
  for (const claimed of ["", "unknown", "evil:text", "1.2.3"]) {
    expect(addressSubjectOf(claimed, "198.51.100.1")).toBe("198.51.100.1");
  }
});
