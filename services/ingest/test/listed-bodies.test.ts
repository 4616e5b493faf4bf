import { hash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ComposableSpan, ListedRow } from "../src/assembly/composable.ts";
import { type ComposeLoader, composeList, ListChangedError } from "../src/assembly/compose.ts";
import { createListedBodies, type ListedBodies } from "../src/assembly/listed-bodies.ts";
import type { Derivation } from "../src/model/derivation.ts";
import { cutBodyMembers, decodeSpanBody, emptyBody, encodeSpanBody, type SpanBody } from "../src/model/span-body.ts";

interface Page {
  derived: Derivation | null;
  kind: string;
  own: Partial<SpanBody>;
  /** Null = it is gone. */
  lender: Partial<SpanBody> | null;
  /** What log records say the lender was asked. */
  told: string | null;
  /** What happens to the lender after it was looked at, before it is read. */
  meanwhile?: "told" | "gone";
  /** The root's own body if it is read after it was listed: another body, or null = deleted. */
  ownMeanwhile?: Partial<SpanBody> | null;
  /** Short bodies come with their rows. */
  comes?: "whole";
}

const long = (text: string): string => JSON.stringify(`${text} `.repeat(600));
const incompressible = (bytes: number): string => JSON.stringify(randomBytes(bytes).toString("base64"));
const call = (text: string): Partial<SpanBody> => ({
  toolCalls: `[{"name":"t","output":${long(text)},"success":true}]`,
});
const usual: Page = {
  derived: { toolsFrom: ["lender"], inputFrom: "lender" },
  kind: "agent",
  own: { output: long("own"), metadata: long("never listed") },
  lender: { ...call("lent"), input: long("lent") },
  told: null,
};

const pack = async (members: Partial<SpanBody>): Promise<Buffer> => encodeSpanBody({ ...emptyBody, ...members });

/** The list's contents for a page of one root; null = it has changed since it was listed. */
async function show(page: Page, listed: ListedBodies = createListedBodies()): Promise<string | null> {
  const own = await pack(page.own);
  const root: ListedRow<Omit<ComposableSpan, "body">> = {
    span: { id: "root", kind: page.kind, derived: page.derived },
    textBytes: own.length,
    ...(page.comes === "whole" ? { body: own, digest: null } : { body: null, digest: hash("sha256", own, "base64") }),
  };
  const body = page.lender === null ? null : await pack(page.lender);
  const lender = { id: "lender", spanId: "lender", kind: "tool", hasFragments: page.told !== null };
  const meanwhile = page.ownMeanwhile === undefined ? own : page.ownMeanwhile && (await pack(page.ownMeanwhile));
  const loader: ComposeLoader = {
    async *digests() {
      yield body === null ? [] : [{ ...lender, digest: hash("sha256", body, "base64"), textBytes: body.length }];
    },
    async *rows(ids) {
      if (ids.includes("root") && meanwhile !== null) {
        yield [{ id: "root", spanId: "root", kind: page.kind, hasFragments: false, body: meanwhile }];
      }
      if (!ids.includes("lender") || page.meanwhile === "gone" || body === null) yield [];
      else yield [{ ...lender, ...(page.meanwhile === "told" && { hasFragments: true }), body }];
    },
    async *fragments(ids) {
      const order = { observedNano: "0", index: 0 };
      yield new Map(ids.map((id) => [id, [{ order, input: page.told ?? "told meanwhile" }]]));
    },
  };
  const composing = composeList([root], { loader, listed, groupBytesMax: 1, makeRoom: async () => {} });
  const composed = await composing.next().catch((thrown) => {
    if (thrown instanceof ListChangedError) return null;
    throw thrown;
  });
  if (composed === null) return null;
  return cutBodyMembers(
    await decodeSpanBody((composed.value as ComposableSpan[])[0]?.body as Buffer),
    "toolCalls",
  ).toString();
}

/** Counts the hits. */
function counting(): ListedBodies & { found: number } {
  const bodies = createListedBodies();
  const counted = {
    ...bodies,
    found: 0,
    find(key: string) {
      const body = bodies.find(key);
      if (body !== undefined) counted.found += 1;
      return body;
    },
  };
  return counted;
}

describe("a page that is asked for again", () => {
  test.each<[string, Partial<Page>]>([
    ["a root that borrows", {}],
    ["a root of its own", { derived: null }],
    ["a root whose trace adds nothing to a list", { derived: { childErrors: 1 } }],
    ["a root whose body comes with it", { comes: "whole" }],
    ["a root whose body is large", { own: { output: incompressible(60_000) } }],
  ])("is found, and shows the same: %s", async (_, change) => {
    const page = { ...usual, ...change };
    const listed = counting();
    const first = await show(page, listed);
    expect(listed.found).toBe(0);
    expect(await show(page, listed)).toBe(first);
    expect(listed.found).toBe(1);
    expect(await show(page)).toBe(first);
  });

  test.each<[string, Partial<Page>]>([
    ["another body of its own", { own: { output: long("other") } }],
    ["another body of its lender", { lender: { ...call("other"), input: long("other") } }],
    ["another part of its lender", { derived: { toolsFrom: ["lender"], outputFrom: "lender" }, own: {} }],
    ["no lender any more", { derived: null }],
    ["a lender that is gone", { lender: null }],
    ["what log records say of its lender", { told: "told", lender: call("lent") }],
    ["what log records say of it", { derived: { ...usual.derived, hasFragments: true } }],
  ])("shows changes at once: %s", async (_, change) => {
    const listed = createListedBodies();
    await show(usual, listed);
    const changed = { ...usual, ...change };
    expect(await show(changed, listed)).toBe(await show(changed));
    expect(await show(usual, listed)).toBe(await show(usual));
  });

  test.each(["told", "gone"] as const)(
    "is not taken for one whose lender was %s while it was composed",
    async (meanwhile) => {
      const listed = createListedBodies();
      const page = { ...usual, lender: call("lent") };
      await show({ ...page, meanwhile }, listed);
      expect(await show(page, listed)).toBe(await show(page));
    },
  );

  test.each<[string, Partial<SpanBody> | null]>([
    ["gone", null],
    ["another one", { output: long("other") }],
  ])("is not shown, nor kept, when a root of it was %s before its body was read", async (_, ownMeanwhile) => {
    const listed = createListedBodies();
    expect(await show({ ...usual, ownMeanwhile }, listed)).toBeNull();
    expect(await show(usual, listed)).toBe(await show(usual));
  });

  test("shows every change of what only log records say", async () => {
    const listed = createListedBodies();
    const page = { ...usual, lender: call("lent") };
    for (const told of ["first", "second"]) {
      expect(await show({ ...page, told }, listed)).toContain(told);
    }
  });
});

describe("the cache", () => {
  const body = (bytes: number): Buffer => Buffer.alloc(bytes);

  test("is bounded: the least recently used entry is evicted first", () => {
    const listed = createListedBodies({ bytesMax: 3_600, bodyBytesMax: 1_000 });
    listed.keep("a", body(1_000));
    listed.keep("b", body(1_000));
    listed.find("a");
    listed.keep("c", body(1_000));
    expect(["a", "b", "c"].map((key) => listed.find(key) !== undefined)).toEqual([true, false, true]);
  });

  test("is no body that is larger than one may be, and each only once", () => {
    const listed = createListedBodies({ bytesMax: 3_600, bodyBytesMax: 1_000 });
    listed.keep("large", body(1_001));
    expect(listed.find("large")).toBeUndefined();
    for (let turn = 0; turn < 5; turn += 1) listed.keep("same", body(1_000));
    listed.keep("other", body(1_000));
    expect(listed.find("same")).toBeDefined();
  });
});
