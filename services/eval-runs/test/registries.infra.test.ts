import { newToolSchema, prompt, toolSchema } from "@touchstone/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;

const system = useTestSystem();
const running = useService(system);

beforeEach(() => {
  client = createProjectClient(running.address);
});

describe("prompts", () => {
  const publish = (body: unknown) => client.send("POST", "/prompts", body);
  const read = (key: string, query = "") => client.send("GET", `/prompts/${encodeURIComponent(key)}${query}`);

  test("a first text makes the prompt, another one its next version, the same one nothing", async () => {
    const first = await publish({ name: "greet / hello", text: "Greet {name}.", description: "A greeting" });
    expect(first.status).toBe(201);
    expect(prompt.parse(first.body)).toMatchObject({
      name: "greet / hello",
      description: "A greeting",
      version: 1,
      text: "Greet {name}.",
    });

    const second = await publish({ name: "greet / hello", text: "Greet {name} kindly.\u0000\ud800" });
    expect(second.body).toMatchObject({ _id: first.body._id, version: 2, description: "A greeting" });
    expect((await publish({ name: "greet / hello", text: "Greet {name} kindly.\u0000\ud800" })).body.version).toBe(2);

    expect((await read("greet / hello")).body).toEqual(second.body);
    expect((await read(first.body._id)).body).toEqual(second.body);
    expect((await read("greet / hello", "?version=1")).body).toMatchObject({ version: 1, text: "Greet {name}." });
    expect((await client.send("GET", "/prompts")).body).toEqual({ prompts: [second.body] });
  });

  test("texts published at once get different versions, without a gap", async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `Text ${index}`);
    const published = await Promise.all(texts.map((text) => publish({ name: "race", text })));
    expect(published.map(({ status }) => status)).toEqual(texts.map(() => 201));
    const versions = published.map(({ body }) => body.version).sort((one, other) => one - other);
    expect(versions).toEqual(texts.map((_, index) => index + 1));
    for (const { body } of published) {
      expect((await read("race", `?version=${body.version}`)).body.text).toBe(body.text);
    }
  });

  test.for([
    [{ text: "x" }, "name is required"],
    [{ name: " ", text: "x" }, "name is required"],
    [{ name: "n\u0000", text: "x" }, "name must be plain text of at most 200 characters"],
    [{ name: "n".repeat(201), text: "x" }, "name must be plain text of at most 200 characters"],
    [{ name: "n" }, "text is required"],
    [{ name: "n", text: " " }, "text is required"],
    [{ name: "n", text: "x", description: 1 }, "description must be a string"],
  ] as const)("refuse %j: %s", async ([body, error]) => {
    expect(await publish(body)).toMatchObject({ status: 400, body: { error } });
  });

  test("keep messages, config, tags and a message of the commit as they were sent", async () => {
    const chat = {
      name: "chat",
      type: "chat",
      messages: [
        { role: "system", content: "Be \u0000 kind." },
        { type: "placeholder", name: "history" },
      ],
      config: { temperature: 0.5, stop: [null] },
      tags: ["a", "b", "a"],
      commitMessage: "The first",
    };
    const made = await publish(chat);
    expect(made.status).toBe(201);
    expect(prompt.parse(made.body)).toMatchObject({
      ...chat,
      tags: ["a", "b"],
      text: "Be \u0000 kind.",
      version: 1,
      labels: ["latest"],
    });
    expect((await publish({ ...chat, commitMessage: "Again", tags: undefined })).body).toEqual(made.body);
    expect((await publish({ ...chat, config: { temperature: 1 }, tags: [] })).body).toMatchObject({
      version: 2,
      tags: [],
    });
    expect((await read("chat", "?version=1")).body).toMatchObject({
      messages: chat.messages,
      commitMessage: "The first",
    });
  });

  test("a label names one version and moves; latest moves by itself", async () => {
    await publish({ name: "labelled", text: "one", labels: ["production", "latest"] });
    await publish({ name: "labelled", text: "two", labels: ["staging"] });
    const label = (version: number | string, labels: unknown) =>
      client.send("PATCH", `/prompts/labelled/versions/${version}`, { labels });

    expect((await read("labelled", "?label=production")).body).toMatchObject({ version: 1, labels: ["production"] });
    expect((await read("labelled", "?label=latest")).body).toMatchObject({ version: 2, labels: ["staging", "latest"] });
    expect((await label(2, ["production"])).body).toMatchObject({
      version: 2,
      labels: ["production", "staging", "latest"],
    });
    expect((await read("labelled", "?version=1")).body).toMatchObject({ labels: [] });
    expect(await read("labelled", "?label=none")).toMatchObject({ status: 404 });
    expect(await read("labelled", "?label=production&version=1")).toMatchObject({ status: 400 });
    expect(await label(3, ["production"])).toMatchObject({ status: 404 });
    expect(await label("x", ["production"])).toMatchObject({ status: 404 });
    const many = Array.from({ length: 99 }, (_, index) => `label-${index}`);
    expect(await label(1, many)).toMatchObject({ status: 400, body: { error: "A prompt has at most 100 labels" } });
    expect((await read("labelled", "?version=1")).body).toMatchObject({ labels: [] });
  });

  test.for([
    [{ type: "song", text: "x" }, "type must be text or chat"],
    [{ type: "chat", messages: [] }, "messages must be a list of objects, and not empty"],
    [{ type: "chat", messages: ["x"] }, "messages must be a list of objects, and not empty"],
    [{ text: "x", labels: "production" }, "labels must be a list of at most 100 texts of at most 200 characters"],
    [{ text: "x", tags: ["\u0000"] }, "tags must be a list of at most 100 texts of at most 200 characters"],
    [{ text: "x", commitMessage: 1 }, "commitMessage must be a string"],
  ] as const)("refuse %j: %s, too", async ([body, error]) => {
    expect(await publish({ name: "n", ...body })).toMatchObject({ status: 400, body: { error } });
  });

  test("are the project's own", async () => {
    const { body } = await publish({ name: "mine", text: "x" });
    const stranger = createProjectClient(running.address);
    const notFound = { status: 404, body: { error: "Prompt not found" } };
    expect(await stranger.send("GET", "/prompts/mine")).toMatchObject(notFound);
    expect(await stranger.send("GET", `/prompts/${body._id}`)).toMatchObject(notFound);
    expect((await stranger.send("GET", "/prompts")).body).toEqual({ prompts: [] });
    expect(await read("none")).toMatchObject(notFound);
    expect(await read("n\u0000")).toMatchObject(notFound);
    expect(await read("mine", "?version=7")).toMatchObject(notFound);
    expect(await read("mine", "?version=99999999999")).toMatchObject(notFound);
    expect(await read("mine", "?version=1.5")).toMatchObject({
      status: 400,
      body: { error: "version must be an integer" },
    });
  });
});

describe("tool schemas", () => {
  const path = "/api/v1/evaluate/tool-schemas";
  const create = (body: unknown) => client.sendTo("POST", path, body);
  const weather = { name: "get_weather", definition: '{"city":"string"}', testEndpointUrl: "https://tools.test/w" };

  test("are kept under the tool's name, changed as new versions, and gone when deleted", async () => {
    const created = await create({ ...weather, description: "Weather of a city" });
    expect(created.status).toBe(201);
    const made = toolSchema.parse(created.body.toolSchema);
    expect(made).toMatchObject({ ...weather, description: "Weather of a city", version: 1 });
    const one = `${path}/${made._id}`;

    const changed = await client.sendTo("PATCH", one, { definition: '{"town":"string"}', description: null });
    expect(changed.status).toBe(200);
    expect(changed.body.toolSchema).toMatchObject({ name: "get_weather", definition: '{"town":"string"}', version: 2 });
    expect(changed.body.toolSchema).not.toHaveProperty("description");
    expect((await client.sendTo("GET", one)).body).toEqual(changed.body);
    expect((await client.sendTo("GET", path)).body).toEqual({ toolSchemas: [changed.body.toolSchema] });
    expect((await client.sendTo("GET", `${one}/versions`)).body.versions).toMatchObject([
      { version: 2, definition: '{"town":"string"}' },
      { version: 1, definition: weather.definition },
    ]);

    expect(await client.sendTo("DELETE", one)).toMatchObject({ status: 200, body: { deleted: true } });
    for (const gone of [one, `${one}/versions`]) {
      expect(await client.sendTo("GET", gone)).toMatchObject({ status: 404, body: { error: "Tool schema not found" } });
    }
    expect((await client.sendTo("DELETE", one)).status).toBe(404);
  });

  test("are answered bare when they are made, and under their name besides", async () => {
    const { body } = await create(weather);
    const { toolSchema: wrapped, ...bare } = newToolSchema.strict().parse(body);
    expect(bare).toEqual(wrapped);
    expect((await client.sendTo("GET", `${path}/${body._id}`)).body).toEqual({ toolSchema: bare });
  });

  test("are published as the next version, which copies missing members", async () => {
    const { body } = await create({ ...weather, description: "Weather of a city" });
    const versions = `${path}/${body._id}/versions`;

    const published = await client.sendTo("POST", versions, { definition: '{"town":"string"}' });

    expect(published.status).toBe(201);
    const { toolSchema: wrapped, ...bare } = newToolSchema.strict().parse(published.body);
    expect(bare).toEqual(wrapped);
    expect(bare).toMatchObject({
      ...weather,
      definition: '{"town":"string"}',
      description: "Weather of a city",
      version: 2,
    });
    expect((await client.sendTo("GET", versions)).body.versions).toMatchObject([{ version: 2 }, { version: 1 }]);
  });

  test("published at once get different versions, without a gap", async () => {
    const { body } = await create(weather);
    const texts = Array.from({ length: 8 }, (_, index) => `Definition ${index}`);
    const published = await Promise.all(
      texts.map((definition) => client.sendTo("POST", `${path}/${body._id}/versions`, { definition })),
    );
    expect(published.map(({ status }) => status)).toEqual(texts.map(() => 201));
    const numbers = published.map((answer) => answer.body.version).sort((one, other) => one - other);
    expect(numbers).toEqual(texts.map((_, index) => index + 2));
  });

  test("are published with a definition only, under a name that is free", async () => {
    const { body } = await create(weather);
    await create({ ...weather, name: "other" });
    const publish = (version: unknown) => client.sendTo("POST", `${path}/${body._id}/versions`, version);
    expect(await publish({ description: "d" })).toMatchObject({
      status: 400,
      body: { error: "definition is required" },
    });
    expect((await publish({ definition: "d", name: "other" })).status).toBe(409);
    expect((await client.sendTo("GET", `${path}/${body._id}`)).body.toolSchema).toMatchObject({ version: 1 });
  });

  test("refuse a name that is in use, on creation and by a change", async () => {
    await create(weather);
    const { body } = await create({ ...weather, name: "other" });
    const taken = { status: 409, body: { error: "A tool schema with this name already exists" } };
    expect(await create(weather)).toMatchObject(taken);
    expect(await client.sendTo("PATCH", `${path}/${body.toolSchema._id}`, { name: weather.name })).toMatchObject(taken);
    // Another project's names are its own.
    expect((await createProjectClient(running.address).sendTo("POST", path, weather)).status).toBe(201);
  });

  test.for([
    [{}, "name is required"],
    [{ name: "n" }, "definition is required"],
    [
      { name: "n", definition: "d", testEndpointUrl: "ftp://x" },
      "A valid http:// or https:// testEndpointUrl is required",
    ],
    [
      { name: "n", definition: "d", testEndpointUrl: "https://" },
      "A valid http:// or https:// testEndpointUrl is required",
    ],
  ] as const)("refuse %j: %s", async ([body, error]) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { error } });
  });

  test("of another project are not there", async () => {
    const { body } = await create(weather);
    const stranger = createProjectClient(running.address);
    const one = `${path}/${body.toolSchema._id}`;
    expect((await stranger.sendTo("GET", one)).status).toBe(404);
    expect((await stranger.sendTo("PATCH", one, { definition: "mine" })).status).toBe(404);
    expect((await stranger.sendTo("POST", `${one}/versions`, { definition: "mine" })).status).toBe(404);
    expect((await stranger.sendTo("DELETE", one)).status).toBe(404);
    expect((await client.sendTo("GET", one)).body.toolSchema).toMatchObject(weather);
    expect((await client.sendTo("GET", `${path}/none`)).status).toBe(404);
  });
});
