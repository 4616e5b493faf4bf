import { expect, test } from "vitest";
import { createStreamPlaces, isAppError, type StreamPlaces, type Tenant } from "../src/index.ts";

const of = (organizationId: string, projectId = `project of ${organizationId}`): Tenant => ({
  projectId,
  organizationId,
});

/** The outcome of each stream, by its name. */
function createStreams(places: StreamPlaces) {
  const ended: string[] = [];
  return {
    ended,
    open(tenant: Tenant, name: string, kind: "events" | "lines" = "events") {
      const place = places.take(tenant);
      place.fill({
        isEvents: kind === "events",
        end: () => ended.push(`${name} ended`),
        destroy: () => ended.push(`${name} broke off`),
      });
      return place;
    },
  };
}

/** The refusal of a slot. */
function refusalOf(places: StreamPlaces, tenant: Tenant) {
  try {
    places.take(tenant);
  } catch (thrown) {
    if (isAppError(thrown)) return { code: thrown.code, message: thrown.message, after: thrown.retryAfterSeconds };
  }
  return null;
}

test("a newcomer takes a slot from the tenant that holds most: its oldest stream, events before exports", () => {
  const places = createStreamPlaces({ placesMax: 6, what: "stream", where: "here" });
  const { open, ended } = createStreams(places);
  open(of("a"), "a1", "lines");
  open(of("a"), "a2");
  open(of("a"), "a3");
  open(of("b"), "b1");
  open(of("c"), "c1");
  open(of("d"), "d1");

  open(of("e"), "e1");
  open(of("f"), "f1");
  expect(ended).toEqual(["a2 ended", "a3 ended"]);
  // Each tenant has one now.
  expect(refusalOf(places, of("g"))).toEqual({
    code: "service_unavailable",
    message: "There is no room for another stream at here; retry.",
    after: undefined,
  });
  expect(refusalOf(places, of("e"))).toEqual({
    code: "rate_limited",
    message: "Too many open streams: the organization has its share, 1 of the 6 of here.",
    after: 5,
  });
  expect(places.share.counts).toMatchObject({ taken_back: 2, refused_total: 2 });
});

test("an export is broken off, and so visibly incomplete, only if its tenant has no events", () => {
  const places = createStreamPlaces({ placesMax: 3, what: "stream", where: "here" });
  const { open, ended } = createStreams(places);
  open(of("a"), "a1", "lines");
  open(of("a"), "a2", "lines");
  open(of("b"), "b1");
  open(of("c"), "c1");

  expect(ended).toEqual(["a1 broke off"]);
});

test("a project takes a slot from the project of its organization that has most", () => {
  const places = createStreamPlaces({ placesMax: 9, what: "stream", where: "here" });
  const { open, ended } = createStreams(places);
  for (let index = 1; index <= 6; index += 1) open(of("a", "many"), `many ${index}`);
  for (let index = 1; index <= 2; index += 1) open(of("a", "some"), `some ${index}`);

  open(of("a", "new"), "new 1");
  expect(ended).toEqual(["many 1 ended"]);
});

test("an answer that has not begun keeps its slot, and a released slot is free once", () => {
  const places = createStreamPlaces({ placesMax: 3, what: "stream", where: "here" });
  const { open } = createStreams(places);
  const beginning = [places.take(of("a")), places.take(of("a"))];
  open(of("b"), "b1");
  expect(refusalOf(places, of("c"))?.code).toBe("service_unavailable");

  for (const _twice of [1, 2]) beginning[0]?.leave();
  open(of("c"), "c1");
  expect(places.share.held()).toBe(3);
});

test("the limit of a project applies however many slots are free, and the refusal names it", () => {
  const places = createStreamPlaces({ placesMax: 1_000, projectMax: 2, what: "export", where: "here" });
  places.take(of("a"));
  places.take(of("a"));
  expect(refusalOf(places, of("a"))).toEqual({
    code: "rate_limited",
    message: "Too many open exports: a project may have 2.",
    after: 5,
  });
  places.take(of("a", "another"));
});
