import { randomBytes, randomUUID } from "node:crypto";
import { errorBody, globalErrorBody, type Route, routes } from "@touchstone/contracts";
import { routeEntries } from "./route-entries.ts";
import type { EntryRequest, Ids, RouteEntry } from "./route-entry.ts";
import { createTenant, findCanaries, strangersIn, type Tenant } from "./tenant.ts";

export interface MatrixReport {
  /** The number of checked answers. */
  cells: number;
  /** Violations, each with its place: the route, the number of its entry, and the position of an id. */
  violations: { place: string; problem: string }[];
  /** Places where another tenant's objects could be reached without the layers. */
  reachable: Set<string>;
  /** Places whose entry says that they can never leak. */
  unreachable: Set<string>;
}

/** The caller. `other` is the second tenant, to whom the first one's ids are foreign. */
interface Asker {
  name: "no key" | "garbage key" | "revoked key" | "own key" | "other key";
  apiKey: string | null;
  /** The tenant whose texts the answer may contain; null = none. */
  tenant: Tenant | null;
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

const entriesAtOnce = 4;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const malformedId = "no such id'";

/**
 * Calls every route of the table with each kind of key, for own, foreign, missing and malformed ids, one place at a
 * time and all at once. Reports every answer that differs from its entry, that distinguishes a foreign id from a
 * missing one, or that contains another tenant's canary. At the end both tenants read their own objects, which no other
 * tenant's attempts may have changed. Strangers ask with `revokedKey`, and the second tenant for foreign ids too; without it
 * only the first tenant does.
 */
export async function askMatrix(
  url: string,
  { own, other, revokedKey }: { own: Tenant; other: Tenant; revokedKey: string | null },
): Promise<MatrixReport> {
  const report: MatrixReport = { cells: 0, violations: [], reachable: new Set(), unreachable: new Set() };
  const strangers: Asker[] =
    revokedKey === null
      ? []
      : [
          { name: "no key", apiKey: null, tenant: null },
          { name: "garbage key", apiKey: `tsk_live_${randomBytes(16).toString("hex")}`, tenant: null },
          { name: "revoked key", apiKey: revokedKey, tenant: null },
        ];
  const askingOf = (route: Route) =>
    entriesOf(route.id).map((entry, number) => {
      const label = `${route.id} ${number + 1}`;
      return () => askEntry({ url, route, entry, label, own, other, strangers, report });
    });
  // First and alone: a process that answers the others at the same time may say that it is not ready.
  const ofState: readonly Route[] = [routes.getHealth, routes.getReadiness];
  for (const ask of ofState.flatMap(askingOf)) await ask();
  const tasks = Object.values<Route>(routes)
    .filter((route) => !ofState.includes(route))
    .flatMap(askingOf);
  await Promise.all(
    Array.from({ length: entriesAtOnce }, async () => {
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) await task();
    }),
  );
  return report;
}

/** The entries of a route; none if it has no line in the table. */
function entriesOf(routeId: string): readonly RouteEntry[] {
  const entries = routeEntries[routeId];
  return entries === undefined ? [] : [entries].flat();
}

/** Objects that are only read are created once for the whole matrix. */
const madeToRead = new WeakMap<Tenant, Map<RouteEntry, Promise<Ids>>>();

async function idsOf({ method }: Route, entry: RouteEntry, tenant: Tenant): Promise<Ids> {
  if (entry.ids === undefined) return {};
  if (method !== "GET") return entry.ids(tenant);
  const made = madeToRead.get(tenant) ?? new Map<RouteEntry, Promise<Ids>>();
  madeToRead.set(tenant, made);
  const ids = made.get(entry) ?? entry.ids(tenant);
  made.set(entry, ids);
  return ids;
}

interface EntryTask {
  url: string;
  route: Route;
  entry: RouteEntry;
  label: string;
  own: Tenant;
  other: Tenant;
  strangers: readonly Asker[];
  report: MatrixReport;
}

async function askEntry({ url, route, entry, label, own, other, strangers, report }: EntryTask): Promise<void> {
  let turn = 0;
  const problem = (place: string, sentence: string): void => {
    report.violations.push({ place: `${label} ${place}`.trim(), problem: sentence });
  };
  let ids: [Ids, Ids];
  try {
    ids = await Promise.all([idsOf(route, entry, own), idsOf(route, entry, other)]);
  } catch (thrown) {
    return problem("", thrown instanceof Error ? thrown.message : String(thrown));
  }
  const [ownIds, otherIds] = ids;
  const places = Object.keys(ownIds);
  for (const place of places) {
    if (place in (entry.leaksByChance ?? {})) continue;
    (place in (entry.neverLeaks ?? {}) ? report.unreachable : report.reachable).add(`${label} ${place}`);
  }
  if (places.length === 0 && route.method === "GET" && entry.shows) report.reachable.add(label);

  const ask = async (asker: Asker, sent: Ids, place: string, expected: number | null): Promise<Answer> => {
    turn += 1;
    const { apiKey } =
      asker.tenant !== null && entry.spendsKey
        ? await createTenant({ url, apiKey: asker.tenant.apiKey }, "Spent")
        : asker;
    const answer = await sendRequest(url, route, sent, entry.request?.(sent, asker.tenant ?? own, turn) ?? {}, apiKey);
    report.cells += 1;
    const what = `${asker.name}, ${place || "no id"}`;
    if (expected !== null && answer.status !== expected)
      problem(place, `${what}: ${answer.status} instead of ${expected}: ${answer.text}`);
    const strange = asker.tenant === null ? findCanaries(answer.text) : strangersIn(asker.tenant, answer.text);
    if (strange.length > 0) problem(place, `${what}: it holds another tenant's text: ${answer.text}`);
    if (answer.status >= 400 && !hasEnvelope(answer)) problem(place, `${what}: not the envelope: ${answer.text}`);
    return answer;
  };

  const isOpen = !route.authentication.some((one) => one === "key");
  for (const stranger of strangers) {
    const answers: string[] = [];
    for (const sent of [
      ownIds,
      otherIds,
      replaced(ownIds, places, missing),
      replaced(ownIds, places, () => malformedId),
    ]) {
      const answer = await ask(stranger, sent, "", isOpen ? entry.own : 401);
      answers.push(answer.text);
      if (places.length === 0) break;
    }
    if (new Set(answers).size > 1)
      problem("", `${stranger.name}: the answer depends on the id: ${answers.join(" / ")}`);
  }

  const askers: [Asker, Ids, Ids][] = [
    [{ name: "own key", apiKey: own.apiKey, tenant: own }, ownIds, otherIds],
    [{ name: "other key", apiKey: other.apiKey, tenant: other }, otherIds, ownIds],
  ];
  for (const [asker, mine, theirs] of strangers.length > 0 ? askers : askers.slice(0, 1)) {
    for (const place of places) {
      const refused = statusAt(entry.refused, place) ?? 404;
      const unknown = replaced(mine, [place], missing);
      const forged = replaced(mine, [place], () => theirs[place] as string);
      const absent = await ask(asker, unknown, place, refused);
      const foreign = await ask(asker, forged, place, refused);
      const shown = [normalize(entry, absent, unknown), normalize(entry, foreign, forged)];
      if (shown[0] !== shown[1] && entry.isPosition?.includes(place) !== true) {
        problem(place, `${asker.name}: foreign and missing differ at ${place}: ${shown.join(" / ")}`);
      }
      await ask(
        asker,
        replaced(mine, [place], () => malformedId),
        place,
        entry.malformed?.[place] ?? refused,
      );
    }
    if (places.length > 1) {
      const unknown = replaced(mine, places, missing);
      const absent = await ask(asker, unknown, "all", null);
      const foreign = await ask(asker, theirs, "all", absent.status);
      if (normalize(entry, absent, unknown) !== normalize(entry, foreign, theirs)) {
        problem("all", `${asker.name}: foreign and missing differ: ${absent.text} / ${foreign.text}`);
      }
    }
  }
  for (const [asker, mine] of askers) {
    const answer = await ask(asker, mine, "", entry.own);
    if (entry.shows && !answer.text.includes(asker.tenant?.canary as string)) {
      problem("", `${asker.name}: it does not show one's own text: ${answer.text}`);
    }
  }
}

const statusAt = (status: RouteEntry["refused"], place: string): number | undefined =>
  typeof status === "object" ? status[place] : status;

function replaced(ids: Ids, places: readonly string[], replace: (id: string, place: string) => string): Ids {
  return Object.fromEntries(
    Object.entries(ids).map(([place, id]) => [place, places.includes(place) ? replace(id, place) : id]),
  );
}

/** An unused id of the same kind and time. */
function missing(id: string): string {
  const replacement = id.replace(uuid, (found) => `${found.slice(0, 15)}${randomUUID().slice(15)}`);
  return replacement === id ? `${id}-missing` : replacement;
}

/** The answer without the sent ids, and without the ids and times of created objects. */
function normalize({ hasCounts }: RouteEntry, { status, type, text }: Answer, ids: Ids): string {
  const without = Object.values(ids).reduce((left, id) => left.replaceAll(id, "<id>"), text);
  if (status >= 300) return `${status} ${type} ${without}`;
  const comparable = without.replace(uuid, "<uuid>").replace(time, "<time>");
  return `${status} ${type} ${hasCounts ? comparable.replace(/\d+/g, "<n>") : comparable}`;
}

function hasEnvelope({ text }: Answer): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return [errorBody, globalErrorBody].some((schema) => schema.safeParse(body).success);
  } catch {
    return false;
  }
}

async function sendRequest(
  url: string,
  route: Route,
  ids: Ids,
  { params = {}, query = {}, body, headers = {} }: EntryRequest,
  apiKey: string | null,
): Promise<Answer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(ids[name] ?? params[name] ?? ""),
  );
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${url}${path}${search && `?${search}`}`, {
    method: route.method,
    headers: {
      // A new address for each request: limits per address are not tested here.
      "x-forwarded-for": `10.${[...randomBytes(3)].join(".")}`,
      ...(apiKey !== null && { "x-api-key": apiKey }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && route.id === "streamTraces") {
    // The stream never ends; the leak detector reads its contents.
    await response.body?.cancel();
    return { status: response.status, type, text: "" };
  }
  return { status: response.status, type, text: await response.text() };
}
