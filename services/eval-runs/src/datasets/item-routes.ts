import { internalRoutes, isStorable, isUuid, limits } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  gatherCalls,
  type Handler,
  isAppError,
  type JsonObject,
  membersOf,
  memberText,
  objectText,
  readJsonObject,
  requireProject,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import { questionTextsOf, replaceQuestions } from "./change-cases.ts";
import type { DatasetBook } from "./dataset-book.ts";
import { composeDatasetDocument } from "./dataset-document.ts";
import { composeItem, datasetIdIn, itemIdOf, renderItem } from "./dataset-item.ts";
import type { StoredDataset } from "./dataset-store.ts";
import { metadataOf } from "./dataset-summary.ts";
import type { DatasetHead, NamedDataset, NamedDatasetStore } from "./named-dataset-store.ts";
import { datasetNotFound } from "./require-dataset.ts";

interface ItemDependencies {
  named: NamedDatasetStore;
  book: DatasetBook;
  clock: Clock;
}

/** Answers dropin: datasets by name, and their cases as items with an id and any JSON. */
export function itemRoutes(dependencies: ItemDependencies): ServedRoute[] {
  return [
    { route: internalRoutes.keepDataset, handle: keepDataset(dependencies) },
    { route: internalRoutes.findDataset, handle: findDataset(dependencies) },
    { route: internalRoutes.listNamedDatasets, handle: listDatasets(dependencies) },
    { route: internalRoutes.keepItem, handle: keepItem(dependencies) },
    { route: internalRoutes.findItem, handle: findItem(dependencies) },
    { route: internalRoutes.listItems, handle: listItems(dependencies) },
  ];
}

function keepDataset({ named, book, clock }: ItemDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = await readJsonObject(call);
    const name = requireName(sent.value.name);
    const now = clock.now();
    const at = new Date(now);
    const head = objectText([{ name: "name", valueText: JSON.stringify(name) }, ...sentHead(sent)]);
    const document = composeDatasetDocument({ text: head, value: JSON.parse(head) }, () => uuidv7(now));
    const { isNew } = await named.findOrInsert(projectId, name, { id: uuidv7(now), document, createdAt: at });
    const found = (await named.find(projectId, name)) ?? datasetNotFound();
    if (isNew) return { status: 200, body: renderHead(headOf(found)) };
    const changed = await book.update(projectId, found.id, (current) => changeHead(current, sent), at);
    const isChanged = changed !== null && changed.version !== found.version;
    return { status: 200, body: renderHead(headOf({ ...found, ...changed, ...(isChanged && { updatedAt: at }) })) };
  };
}

function findDataset({ named }: ItemDependencies): Handler {
  return async (call) => {
    const { name } = internalRoutes.findDataset.body.parse(await call.json());
    const found = isStorable(name) ? await named.find(requireProject(call), name) : null;
    return { status: 200, body: `{"dataset":${found === null ? "null" : renderHead(headOf(found))}}` };
  };
}

function listDatasets({ named }: ItemDependencies): Handler {
  return async (call) => {
    const page = internalRoutes.listNamedDatasets.body.parse(await call.json());
    const { datasets, totalCount } = await named.list(requireProject(call), page);
    return { status: 200, body: `{"datasets":[${datasets.map(renderHead).join(",")}],"totalCount":${totalCount}}` };
  };
}

/** Clients send items in parallel, one by one: those that wait for a dataset are stored together, as one version. */
function keepItem({ named, book, clock }: ItemDependencies): Handler {
  const keep = gatherCalls(
    async (items: readonly SentItem[]) => {
      const [first] = items as [SentItem];
      let kept: (KeptItem | AppError)[] = [];
      const at = new Date(clock.now());
      const stored = await book.update(
        first.projectId,
        first.datasetId,
        (current) => {
          const texts = questionTextsOf(current.document);
          kept = placeItems(texts, items, at);
          return replaceQuestions(current.document, () => texts);
        },
        at,
        { isOneOfMany: true },
      );
      if (stored === null) datasetNotFound();
      return kept.map((each) => (each instanceof AppError ? each : renderItem(each.text, each.index, placeOf(stored))));
    },
    { keyOf: ({ projectId, datasetId }) => `${projectId} ${datasetId}`, itemsMax: itemsAtOnceMax },
  );
  return async (call) => {
    const projectId = requireProject(call);
    const sent = await readJsonObject(call);
    const id = readItemId(sent.value.id) ?? uuidv7(clock.now());
    const datasetId = (await named.findId(projectId, requireName(sent.value.datasetName))) ?? datasetNotFound();
    if ((await named.claimCaseId(projectId, id, datasetId)) !== datasetId) {
      throw new AppError("conflict", "Another dataset has an item with this id");
    }
    const kept = await keep({ projectId, datasetId, id, sent });
    if (kept instanceof AppError) throw kept;
    return { status: 200, body: kept };
  };
}

interface SentItem {
  projectId: string;
  datasetId: string;
  id: string;
  sent: JsonObject;
}

interface KeptItem {
  text: string;
  index: number;
}

/** Items that are stored together; further ones wait for the next version. */
const itemsAtOnceMax = 100;

/** Places items among the cases and tells what became of each: a mistake in one does not refuse the others. */
function placeItems(texts: string[], items: readonly SentItem[], at: Date): (KeptItem | AppError)[] {
  const places = new Map(texts.map((text, index) => [itemIdOf(text, items[0]?.datasetId ?? "", index), index]));
  return items.map(({ id, sent }) => {
    const index = places.get(id) ?? texts.length;
    try {
      const text = composeItem(texts[index] ?? null, sent, { id, at });
      texts[index] = text;
      places.set(id, index);
      return { text, index };
    } catch (thrown) {
      if (isAppError(thrown)) return thrown;
      throw thrown;
    }
  });
}

function findItem({ named }: ItemDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { id } = internalRoutes.findItem.body.parse(await call.json());
    const item = isStorable(id) ? await readItem(named, projectId, id) : null;
    return { status: 200, body: `{"item":${item ?? "null"}}` };
  };
}

async function readItem(named: NamedDatasetStore, projectId: string, id: string): Promise<string | null> {
  const datasetId = (await named.findCaseId(projectId, id)) ?? datasetIdIn(id);
  if (datasetId === null || !isUuid(datasetId)) return null;
  const dataset = await named.findById(projectId, datasetId);
  if (dataset === null) return null;
  const texts = questionTextsOf(dataset.document);
  const index = texts.findIndex((text, at) => itemIdOf(text, dataset.id, at) === id);
  return index < 0 ? null : renderItem(texts[index] as string, index, placeOf(dataset));
}

function listItems({ named }: ItemDependencies): Handler {
  return async (call) => {
    const { datasetName, offset, limit } = internalRoutes.listItems.body.parse(await call.json());
    const dataset = await requireNamed(named, requireProject(call), datasetName);
    const texts = questionTextsOf(dataset.document);
    const place = placeOf(dataset);
    const items = texts.slice(offset, offset + limit).map((text, at) => renderItem(text, offset + at, place));
    return { status: 200, body: `{"items":[${items.join(",")}],"totalCount":${texts.length}}` };
  };
}

async function requireNamed(named: NamedDatasetStore, projectId: string, name: unknown): Promise<NamedDataset> {
  return (await named.find(projectId, requireName(name))) ?? datasetNotFound();
}

function requireName(name: unknown): string {
  const most = limits.datasetNameMaxChars;
  if (typeof name !== "string" || name.trim() === "")
    throw new AppError("bad_request", "The name of a dataset is required");
  if (name.length > most || !isStorable(name)) {
    throw new AppError("bad_request", `The name of a dataset must be plain text of at most ${most} characters`);
  }
  return name;
}

function readItemId(id: unknown): string | null {
  if (id === undefined || id === null) return null;
  const most = limits.registryNameMaxChars;
  if (typeof id === "string" && id.trim() !== "" && id.length <= most && isStorable(id)) return id;
  throw new AppError("bad_request", `id must be plain text of at most ${most} characters`);
}

/** The members of a dataset besides its name, as far as they were sent. */
function sentHead({ text, value }: JsonObject): { name: string; valueText: string }[] {
  const description = typeof value.description === "string" ? memberText(text, "description") : undefined;
  const metadata = memberText(text, "metadata");
  return [
    ...(description === undefined ? [] : [{ name: "description", valueText: description }]),
    ...(metadata === undefined ? [] : [{ name: "metadata", valueText: metadata }]),
  ];
}

function changeHead({ document }: StoredDataset, sent: JsonObject): string {
  const members = new Map(membersOf(document).map(({ name, valueText }) => [name, valueText]));
  for (const { name, valueText } of sentHead(sent)) members.set(name, valueText);
  return objectText([...members].map(([name, valueText]) => ({ name, valueText })));
}

function headOf({ id, document, createdAt, updatedAt }: NamedDataset): DatasetHead {
  const { name, description = null } = JSON.parse(document) as { name: string; description?: string };
  return { id, name, description, metadata: metadataOf(document), createdAt, updatedAt };
}

function placeOf({ id, document, createdAt }: StoredDataset) {
  return { datasetId: id, datasetName: JSON.parse(memberText(document, "name") ?? '""') as string, createdAt };
}

function renderHead({ metadata, ...head }: DatasetHead): string {
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadata ?? "null"}}`;
}
