import { createHash, randomBytes } from "node:crypto";
import { LangfuseMedia as LangfuseMediaOfVersion5 } from "@langfuse/client";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { langfuseErrorBody, registeredMedia, shownMedia } from "@touchstone/contracts";
import { LangfuseMedia } from "langfuse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { basic, type LangfuseClients, langfuseClients, readOnlyTrace } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";

let langfuse: LangfuseClients;

const { system, client } = useCombined();

beforeAll(() => {
  langfuse = langfuseClients(system.url, system.apiKey);
});

afterAll(async () => {
  await langfuse?.v3.shutdownAsync();
});

const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const dataUri = (content: Buffer, type = "image/png"): string => `data:${type};base64,${content.toString("base64")}`;

const idOf = (content: Buffer): string => createHash("sha256").update(content).digest("base64url").slice(0, 22);

/** The ids that a text refers to, in its order. */
const referredIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/@@@langfuseMedia:type=[^|]*\|id=([\w-]{22})\|source=\w+@@@/g)].map(
    ([, id]) => id ?? "",
  );

async function readContent(id: string): Promise<{ type: string | null; content: Buffer }> {
  const { url } = await client.expect({ status: 200, schema: shownMedia }, "GET", `/media/${id}`);
  expect(url).toMatch(new RegExp(`^${system.url}/api/v1/media/content/`));
  const answer = await fetch(url ?? "");
  expect(answer.status).toBe(200);
  return { type: answer.headers.get("content-type"), content: Buffer.from(await answer.arrayBuffer()) };
}

async function sendWithVersion5(name: string, send: (agent: ReturnType<typeof startObservation>) => void) {
  const processor = new LangfuseSpanProcessor({
    publicKey: "pk-lf-any",
    secretKey: system.apiKey,
    baseUrl: system.url,
  });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  setLangfuseTracerProvider(provider);
  const agent = startObservation(name, {}, { asType: "agent" });
  send(agent);
  agent.end();
  await processor.forceFlush();
  await provider.shutdown();
}

test("version 5 uploads the images of a span's input, output and metadata, and the texts refer to them", async () => {
  const drawing = Buffer.from("<svg/>");
  const recording = randomBytes(1_500_000);
  await sendWithVersion5("images-5", (agent) =>
    agent.update({
      input: [
        { role: "user", content: [{ type: "image_url", image_url: { url: dataUri(onePixel) } }] },
        { role: "user", content: "what is it?" },
      ],
      output: { audio: dataUri(recording, "audio/wav") },
      metadata: { chart: dataUri(drawing, "image/svg+xml") },
    }),
  );

  const { detail } = await readOnlyTrace(client, "images-5");

  // The whole conversation is with the attributes; the input of a span is what its user said last.
  const [image] = referredIn(detail).filter((id) => id === idOf(onePixel));
  const [audio] = referredIn(detail.output);
  const [chart] = referredIn(detail.metadata).filter((id) => id === idOf(drawing));
  expect(JSON.stringify(detail)).not.toContain("base64,");
  expect(await readContent(image ?? "")).toEqual({ type: "image/png", content: onePixel });
  expect(await readContent(audio ?? "")).toEqual({ type: "audio/wav", content: recording });
  expect((await readContent(chart ?? "")).type).toBe("application/octet-stream");
});

test("version 5 reads the content of references back", async () => {
  const content = randomBytes(40);
  await sendWithVersion5("images-back", (agent) => agent.update({ input: { image: dataUri(content) } }));
  const { detail } = await readOnlyTrace(client, "images-back");

  const resolved = await langfuse.v5.media.resolveReferences({
    obj: detail.input,
    resolveWith: "base64DataUri",
  });

  expect(JSON.stringify(resolved)).toContain(dataUri(content));
});

test("version 3 uploads the images of a trace and of its observations", async () => {
  const [ofTrace, wrapped, ofGeneration] = [randomBytes(30), randomBytes(40), randomBytes(70_000)];
  const trace = langfuse.v3.trace({
    name: "images-3",
    input: { image: dataUri(ofTrace) },
    metadata: { file: new LangfuseMedia({ contentBytes: wrapped, contentType: "application/pdf" }) },
  });
  const generation = trace.generation({ name: "llm-call", model: "gpt-4o-mini", input: dataUri(ofGeneration) });
  generation.end({ output: "A cat" });
  trace.update({ output: "A cat" });

  await langfuse.v3.flushAsync();

  const { detail, spans } = await readOnlyTrace(client, "images-3");
  expect(await readContent(referredIn(detail.input)[0] ?? "")).toEqual({ type: "image/png", content: ofTrace });
  expect(await readContent(referredIn(detail.metadata)[0] ?? "")).toEqual({
    type: "application/pdf",
    content: wrapped,
  });
  const call = spans.find(({ name }) => name === "llm-call");
  const { body } = await client.send("GET", `/ingest/traces/${call?._id}`);
  const [id = ""] = referredIn(body);
  expect((await readContent(id)).content.equals(ofGeneration)).toBe(true);

  await client.send("DELETE", `/ingest/traces/${detail._id}`);
  expect((await client.send("GET", `/media/${id}`)).status).toBe(404);
});

test("a client learns what is stored already, what is missing, and what is not known", async () => {
  const headers = { authorization: basic(system.apiKey), "content-type": "application/json" };
  const content = randomBytes(12);
  const sha256Hash = Buffer.from(await crypto.subtle.digest("SHA-256", content)).toString("base64");
  const announced = { traceId: "t", contentType: "image/png", contentLength: 12, sha256Hash, field: "input" };
  const announce = () => langfuse.ask("/media", headers, "POST", announced);
  const first = (await announce()).body as { mediaId: string; uploadUrl: string };
  const path = `/media/${first.mediaId}`;

  const missing = await langfuse.ask(path, headers);
  expect([missing.status, langfuseErrorBody.parse(missing.body)]).toEqual([
    404,
    { message: "The content of the media is missing", error: "NotFoundError" },
  ]);
  expect((await langfuse.ask("/media/xxxxxxxxxxxxxxxxxxxxxx", headers)).status).toBe(404);
  const wrong = await langfuse.ask("/media", headers, "POST", { ...announced, sha256Hash: "x" });
  expect([wrong.status, wrong.body]).toMatchObject([
    400,
    { message: "sha256Hash must be the SHA-256 of the content in base64" },
  ]);

  expect((await fetch(first.uploadUrl, { method: "PUT", body: content })).status).toBe(200);
  const report = { uploadedAt: new Date().toISOString(), uploadHttpStatus: 200, uploadHttpError: "", uploadTimeMs: 3 };
  const patch = { method: "PATCH", headers, body: JSON.stringify(report) };
  expect((await fetch(`${system.url}/api/public${path}`, patch)).status).toBe(204);
  expect((await announce()).body).toEqual({ mediaId: first.mediaId, uploadUrl: null });
  expect((await langfuse.ask(path, headers)).body).toMatchObject({ mediaId: first.mediaId, contentLength: 12 });
});

test("an upload through the gateway that is refused early leaves the connection usable, whatever its size", async () => {
  const content = randomBytes(5 * 1024 * 1024);
  const sha256 = Buffer.from(await crypto.subtle.digest("SHA-256", content)).toString("base64");
  const body = { contentType: "video/mp4", contentLength: content.length, sha256 };
  const { uploadUrl, id } = await client.expect({ status: 201, schema: registeredMedia }, "POST", "/media", body);
  const put = async (url: string, sent: Buffer): Promise<number> =>
    (await fetch(url, { method: "PUT", body: sent })).status;

  expect(await put(`${system.url}/api/v1/media/uploads/forged`, content)).toBe(403);
  expect(await put(uploadUrl ?? "", Buffer.alloc(21 * 1024 * 1024))).toBe(413);
  expect(await put(uploadUrl ?? "", randomBytes(content.length))).toBe(400);
  expect(await put(uploadUrl ?? "", content)).toBe(200);
  expect((await readContent(id)).content.equals(content)).toBe(true);
});

test("media of dataset items are uploaded by the client and come back in their place", async () => {
  const { v5 } = langfuse;
  await v5.api.datasets.create({ name: "pictures" });
  const picture = new LangfuseMediaOfVersion5({ source: "bytes", contentBytes: onePixel, contentType: "image/png" });
  const created = await v5.dataset.createItem({
    datasetName: "pictures",
    input: { question: "What is it?", shown: [picture] },
    expectedOutput: picture,
    metadata: { source: "camera" },
  });
  const reference = { mediaId: idOf(onePixel), contentType: "image/png", contentLength: onePixel.length };
  expect(created.mediaReferences).toMatchObject([
    { field: "input", jsonPath: "$['shown'][0]", media: reference },
    { field: "expectedOutput", jsonPath: "$", media: reference },
  ]);

  const { items } = await v5.dataset.get("pictures");
  const [item] = items;
  const { shown } = z.object({ shown: z.array(z.looseObject({ url: z.string() })) }).parse(item?.input);
  expect(item).toMatchObject({
    input: { question: "What is it?", shown: [reference] },
    expectedOutput: reference,
    metadata: { source: "camera" },
  });
  expect(Buffer.from(await (await fetch(shown[0]?.url ?? "")).arrayBuffer())).toEqual(onePixel);
  const text = {
    datasetName: "pictures",
    input: "@@@langfuseMedia:type=image/png|id=xxxxxxxxxxxxxxxxxxxxxx|source=bytes@@@",
  };
  expect(await v5.api.datasetItems.create(text)).toMatchObject({ input: text.input, mediaReferences: [] });
});
