import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventIds } from "../src/live/event-ids.ts";

const projectId = "00000000-0000-7000-8000-000000000001";
const other = "00000000-0000-7000-8000-000000000002";
const counter = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const anyId = fc.record({
  position: fc.record({ xid: counter, seq: counter }),
  atMs: fc.nat({ max: 2 ** 48 - 1 }),
});

test("an id is read back by every replica of the installation, for its project alone", () => {
  const [one, replica, stranger] = ["a", "a", "b"].map((secret) => createEventIds(`a root secret ${secret}`));
  fc.assert(
    fc.property(anyId, (id) => {
      const text = one?.format(projectId, id) as string;
      expect(replica?.parse(projectId, text)).toEqual(id);
      expect(replica?.parse(other, text)).toBeNull();
      expect(stranger?.parse(projectId, text)).toBeNull();
      expect(one?.format(projectId, id)).not.toBe(text);
    }),
  );
});

test("an id that was changed in any character is none, and neither is any other text", () => {
  const ids = createEventIds("a root secret");
  const text = ids.format(projectId, { position: { xid: 812n, seq: 7n }, atMs: 1_750_000_000_000 });
  for (let at = 0; at < text.length - 1; at += 1) {
    const changed = text.slice(0, at) + (text.charAt(at) === "A" ? "B" : "A") + text.slice(at + 1);
    expect(ids.parse(projectId, changed)).toBeNull();
  }
  for (const none of ["", "812-7-1750000000000", text.slice(1), `${text}A`, "A".repeat(text.length), "é".repeat(67)]) {
    expect(ids.parse(projectId, none)).toBeNull();
  }
});
