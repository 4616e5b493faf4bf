import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const width = 240;
const height = 160;

/** A gradient as a PNG. */
function gradient(): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set([x, y, 255 - x], y * (1 + width * 3) + 1 + x * 3);
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    checksum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, checksum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A second of a tone as a WAV. */
function tone(): Buffer {
  const samples = Buffer.from(Array.from({ length: 8_000 }, (_, at) => 128 + Math.round(60 * Math.sin(at / 3))));
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  for (const [at, value] of [1, 1].entries()) header.writeUInt16LE(value, 20 + at * 2);
  for (const [at, value] of [8_000, 8_000].entries()) header.writeUInt32LE(value, 24 + at * 4);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

const { base, client, post } = await createOwnProject();
const referTo = (id: string, contentType: string): string =>
  `@@@langfuseMedia:type=${contentType}|id=${id}|source=base64_data_uri@@@`;

async function announce(content: Buffer, contentType: string) {
  const sha256 = createHash("sha256").update(content).digest("base64");
  const body = { contentType, contentLength: content.length, sha256 };
  return (await client.send("POST", "/media", body)).body as { id: string; uploadUrl: string | null };
}

async function upload(content: Buffer, contentType: string): Promise<string> {
  const { id, uploadUrl } = await announce(content, contentType);
  if (uploadUrl !== null) {
    expect((await fetch(uploadUrl, { method: "PUT", body: new Uint8Array(content) })).status).toBe(200);
  }
  return referTo(id, contentType);
}

test.each([
  [1440, "light"],
  [390, "dark"],
] as const)("the media that a trace refers to are shown in their place, %i px wide and %s", async (wide, theme) => {
  const image = await upload(gradient(), "image/png");
  const sound = await upload(tone(), "audio/wav");
  const file = await upload(Buffer.from("%PDF-1.4"), "application/pdf");
  const page404 = await upload(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml");
  const missing = referTo((await announce(Buffer.from(`${wide}`), "image/png")).id, "image/png");
  const unknown = referTo("x".repeat(22), "image/gif");
  const { body } = await client.send("POST", "/ingest/traces", {
    name: "painter",
    input: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is in this picture?" },
          { type: "image_url", image_url: { url: image } },
        ],
      },
      { role: "user", content: `Compare it with ${missing} and ${unknown}, please.` },
    ],
    output: { answer: "A gradient", spoken: sound, report: file },
    metadata: { sketch: page404 },
  });
  const mayFail = (url: string, status: number | null): boolean => status === 404 && url.includes("/api/v1/media/x");
  const { page, problems, settle, close } = await openPage({ width: wide, theme, mayFail });
  try {
    await page.goto(`${base}/traces/${(body as { trace_id: string }).trace_id}`);
    const panel = page.getByRole("region", { name: "Chosen span" });
    const picture = panel.getByRole("img", { name: /^image\/png, / });
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => picture.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(width);
    await panel.getByText("image/png, not uploaded yet").waitFor();
    await panel.getByText("image/gif, not stored here or deleted").waitFor();
    // On a narrow page the last ones are below the window, and are loaded when they come into view.
    const waiting = panel.getByRole("status", { name: "Loading media" });
    await expect
      .poll(async () => {
        const [first] = await waiting.all();
        await first?.scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => undefined);
        return waiting.count();
      })
      .toBe(0);
    await panel.getByLabel(/^audio\/wav, /).waitFor();
    expect(await panel.getByRole("link", { name: /^Download application\/pdf, / }).getAttribute("href")).toMatch(
      /^\/api\/v1\/media\/content\//,
    );
    await settle();
    await page.screenshot({ path: `.cache/screens/media-${theme}-${wide}.png`, fullPage: true });
    expect(await inspect(page)).toEqual([]);
    await panel.getByRole("tab", { name: "Attributes" }).click();
    await panel.getByRole("link", { name: /^Download image\/svg\+xml, / }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a recording plays, and a picture that is uploaded after its trace appears by itself", async () => {
  const late = Buffer.concat([gradient(), Buffer.from("late")]);
  const { id, uploadUrl } = await announce(late, "image/png");
  const input = `${referTo(id, "image/png")} ${await upload(tone(), "audio/wav")}`;
  const { body } = await client.send("POST", "/ingest/traces", { name: "painter", input });
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/traces/${(body as { trace_id: string }).trace_id}`);
    await page.getByText("image/png, not uploaded yet").waitFor();
    const player = page.getByLabel(/^audio\/wav, /);
    // A player reads nothing until its button is pressed.
    await player.evaluate((shown) => {
      const audio = shown as unknown as { preload: string; load(): void };
      audio.preload = "metadata";
      audio.load();
    });
    await expect.poll(() => player.evaluate((shown) => (shown as unknown as { duration: number }).duration)).toBe(1);
    await fetch(uploadUrl ?? "", { method: "PUT", body: new Uint8Array(late) });
    await page.getByRole("img", { name: /^image\/png, / }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a dataset, a run and a comparison show media in the texts of their cases", async () => {
  const [asked, expected, answered] = await Promise.all(
    ["asked", "expected", "answered"].map((text) =>
      upload(Buffer.concat([gradient(), Buffer.from(text)]), "image/png"),
    ),
  );
  const evaluations = "/custom-agent-evaluations";
  const query = `Which colours are in ${asked}?`;
  const main_question = { query, expectedResults: `{"sketch":"${expected}"}` };
  const dataset = await post(`${evaluations}/datasets`, { name: "Pictures", questions: [{ main_question }] });
  const runIds: unknown[] = [];
  for (const displayName of ["painter", "drawer"]) {
    const run = {
      datasetId: dataset._id,
      runSource: "external",
      evaluationSubject: { kind: "custom_agent", displayName },
    };
    const { runId } = await post(`${evaluations}/runs`, run);
    const output = { text: `Like ${answered}, I think.` };
    const results = [{ idempotencyKey: "case-0", questionIndex: 0, output }];
    await post(`${evaluations}/runs/${runId}/results`, { batchId: "all", results });
    await post(`${evaluations}/runs/${runId}/finalize`, {});
    runIds.push(runId);
  }
  const { page, problems, close } = await openPage();
  try {
    for (const [address, pictures] of [
      [`/datasets/${dataset._id}?case=0`, 2],
      [`/runs/${runIds[0]}?case=0`, 3],
      [`/runs/compare?baseline=${runIds[0]}&candidate=${runIds[1]}&case=0`, 4],
    ]) {
      await page.goto(base + address);
      await page.getByRole("heading", { name: /^Case 0/ }).waitFor();
      await expect
        .poll(() => page.getByRole("img", { name: /^image\/png, / }).count(), { message: `${address}` })
        .toBe(pictures);
    }
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
