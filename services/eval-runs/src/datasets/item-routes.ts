import { internalRoutes, isStorable, isUuid, limits } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  gatherCalls,
  type Handler,
  type JsonObject,
  memberText,
  objectText,
  readJsonObject,
  requireProject,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { DatasetBook } from "./dataset-change-store.ts";
import { datasetIdIn } from "./dataset-item.ts";
import { requireComposed, type WorkOnDataset } from "./dataset-work.ts";
import type { Refusal } from "./dataset-work-thread.ts";
import type { DatasetHead, NamedDataset, NamedDatasetStore } from "./named-dataset-store.ts";
import { datasetNotFound } from "./require-dataset.ts";

interface ItemDependencies {
  named: NamedDatasetStore;
  book: DatasetBook;
  work: WorkOnDataset;
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

function keepDataset({ named, book, work, clock }: ItemDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = await readJsonObject(call);
    const name = requireName(sent.value.name);
    const now = clock.now();
    const at = new Date(now);
    const members = sentHead(sent);
    const body = Buffer.from(objectText([{ name: "name", valueText: JSON.stringify(name) }, ...members]));
    const composed = await work("composeDataset", { body, isRead: true, nowMs: now }, { projectId, size: body.length });
    const { document } = requireComposed(composed);
    const { isNew } = await named.findOrInsert(projectId, name, { id: uuidv7(now), document, createdAt: at });
    const found = (await named.find(projectId, name)) ?? datasetNotFound();
    if (isNew) return { status: 200, body: renderHead(await headOf(work, projectId, found)) };
    const edit = { name: "changeMembers", input: { members } } as const;
    const changed = await book.update(projectId, found.id, edit, at, { size: body.length });
    if (changed === null) return { status: 200, body: renderHead(await headOf(work, projectId, found)) };
    const { id, createdAt, outcome, isChanged } = changed;
    return {
      status: 200,
      body: renderHead({ id, ...outcome, createdAt, updatedAt: isChanged ? at : found.updatedAt }),
    };
  };
}

function findDataset({ named, work }: ItemDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { name } = internalRoutes.findDataset.body.parse(await call.json());
    const found = isStorable(name) ? await named.find(projectId, name) : null;
    const head = found === null ? "null" : renderHead(await headOf(work, projectId, found));
    return { status: 200, body: `{"dataset":${head}}` };
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
function keepItem(dependencies: ItemDependencies): Handler {
  const { named, book, clock } = dependencies;
  const keep = gatherCalls(
    async (items: readonly SentItem[]) => {
      const [first] = items as [SentItem];
      const at = new Date(clock.now());
      const edit = { name: "keepItems", input: { items: items.map(({ id, text }) => ({ id, text })), at } } as const;
      const size = items.reduce((sum, { text }) => sum + text.length, 0);
      const options = { isOneOfMany: true, size };
      const stored = await book.update(first.projectId, first.datasetId, edit, at, options);
      return (stored ?? datasetNotFound()).outcome as readonly (string | Refusal)[];
    },
    { keyOf: ({ projectId, datasetId }) => `${projectId} ${datasetId}`, itemsMax: itemsAtOnceMax },
  );
  return async (call) => {
    const projectId = requireProject(call);
    const sent = await readJsonObject(call);
    const id = readItemId(sent.value.id) ?? uuidv7(clock.now());
    const datasetId = (await named.findId(projectId, requireName(sent.value.datasetName))) ?? datasetNotFound();
    if (!(await claimId(dependencies, projectId, { id, datasetId }))) {
      throw new AppError("conflict", "Another dataset has an item with this id");
    }
    const kept = await keep({ projectId, datasetId, id, text: sent.text });
    if (typeof kept !== "string") throw new AppError(kept.code, kept.message);
    return { status: 200, body: kept };
  };
}

/** An id belongs to the dataset that has an item with it: one whose item was refused or deleted loses it. */
async function claimId(
  { named, work }: ItemDependencies,
  projectId: string,
  { id, datasetId }: Pick<SentItem, "id" | "datasetId">,
): Promise<boolean> {
  const ownerId = await named.claimCaseId(projectId, id, datasetId);
  if (ownerId === datasetId) return true;
  const owner = await named.findById(projectId, ownerId);
  const item = owner && (await findItemIn(work, projectId, owner, id));
  return item === null && named.moveCaseId(projectId, id, { from: ownerId, to: datasetId });
}

interface SentItem {
  projectId: string;
  datasetId: string;
  id: string;
  text: string;
}

/** Items that are stored together; further ones wait for the next version. */
const itemsAtOnceMax = 100;

function findItem({ named, work }: ItemDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { id } = internalRoutes.findItem.body.parse(await call.json());
    const current = isStorable(id) ? await findItemDataset(named, projectId, id) : null;
    const item = current && (await findItemIn(work, projectId, current, id));
    return { status: 200, body: `{"item":${item ?? "null"}}` };
  };
}

function findItemIn(work: WorkOnDataset, projectId: string, current: NamedDataset, itemId: string) {
  return work("findDatasetItem", { current, itemId }, { projectId, size: current.document.length });
}

/** The dataset that an item with this id would be in. */
async function findItemDataset(named: NamedDatasetStore, projectId: string, id: string): Promise<NamedDataset | null> {
  const datasetId = (await named.findCaseId(projectId, id)) ?? datasetIdIn(id);
  return datasetId === null || !isUuid(datasetId) ? null : named.findById(projectId, datasetId);
}

function listItems({ named, work }: ItemDependencies): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { datasetName, offset, limit } = internalRoutes.listItems.body.parse(await call.json());
    const current = await requireNamed(named, projectId, datasetName);
    const of = { projectId, size: current.document.length };
    return { status: 200, body: await work("listDatasetItems", { current, offset, limit }, of) };
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

/** The members of a dataset besides its name, as far as they were sent. Clients send null for what their caller did not name. */
function sentHead({ text, value }: JsonObject): { name: string; valueText: string }[] {
  const description = typeof value.description === "string" ? memberText(text, "description") : undefined;
  const metadata = memberText(text, "metadata");
  return [
    ...(description === undefined ? [] : [{ name: "description", valueText: description }]),
    ...(metadata === undefined || metadata === "null" ? [] : [{ name: "metadata", valueText: metadata }]),
  ];
}

async function headOf(work: WorkOnDataset, projectId: string, dataset: NamedDataset): Promise<DatasetHead> {
  const { id, document, createdAt, updatedAt } = dataset;
  const head = await work("readDatasetHead", { document }, { projectId, size: document.length });
  return { id, ...head, createdAt, updatedAt };
}

function renderHead({ metadata, ...head }: DatasetHead): string {
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadata ?? "null"}}`;
}
