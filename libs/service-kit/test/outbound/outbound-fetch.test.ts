import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test, vi } from "vitest";
import { createOutboundFetch, OutboundError, type OutboundFetch, type OutboundOptions } from "../../src/index.ts";
import { certificate, privateKey } from "./secure-example.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server | TcpServer, host = "127.0.0.1", port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  cleanups.push(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (answer: RequestListener, host?: string, port?: number) => listen(createServer(answer), host, port);

/** A server that sends these bytes to every client, and then the output of `more`. */
async function serveBytes(text: string, more?: (write: (text: string) => void) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    cleanups.push(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(text);
      more?.((next) => socket.write(next));
    });
  });
  return listen(server);
}

function open(options: Partial<OutboundOptions> = {}): OutboundFetch {
  const call = createOutboundFetch({ allowsPrivateHosts: true, ...options });
  cleanups.push(() => call.close());
  return call;
}

/** The error of a call, including its body. */
async function failureOf(call: Promise<Response>): Promise<OutboundError> {
  const failure = await call.then((answer) => answer.text()).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(OutboundError);
  return failure as OutboundError;
}

const kindOf = async (call: Promise<Response>) => (await failureOf(call)).kind;

test("an allowed address is called with the request, and its answer is returned", async () => {
  const port = await serve((request, response) => {
    response.writeHead(418, { "x-of": "theirs" });
    request.pipe(response);
  });

  const answer = await open()(`http://127.0.0.1:${port}/hook`, { method: "POST", body: "hello" });

  expect([answer.status, answer.headers.get("x-of"), await answer.text()]).toEqual([418, "theirs", "hello"]);
});

test.each([301, 302, 303, 307, 308])("a %i to a metadata service is returned, not followed", async (status) => {
  let asked = 0;
  const port = await serve((_request, response) => {
    asked += 1;
    response.writeHead(status, { location: "http://169.254.169.254/latest/meta-data/" }).end("elsewhere");
  });

  const answer = await open()(`http://127.0.0.1:${port}/`);

  expect([answer.status, await answer.text(), asked]).toEqual([status, "elsewhere", 1]);
});

test("a name is resolved once, and the connection goes to the address that was checked", async () => {
  const answers = [["127.0.0.1"], ["127.0.0.2"], ["169.254.169.254"]];
  const resolveHost = vi.fn(async () => answers.shift() ?? []);
  const port = await serve((request, response) => response.end(request.headers.host));
  await serve((_request, response) => response.end("rebound"), "127.0.0.2", port);

  const answer = await open({ resolveHost })(`http://rebinding.example:${port}/`);

  expect(await answer.text()).toBe(`rebinding.example:${port}`);
  expect(resolveHost).toHaveBeenCalledTimes(1);
});

test("a name that resolves differently for the next connection is checked again", async () => {
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const port = await serve((_request, response) => response.writeHead(200, { connection: "close" }).end("first"));
  const call = open({ resolveHost: async () => answers.shift() ?? [] });

  expect(await (await call(`http://rebinding.example:${port}/`)).text()).toBe("first");

  expect(await kindOf(call(`http://rebinding.example:${port}/`))).toBe("address_refused");
});

test("of several addresses one that does not answer is skipped", async () => {
  const port = await serve((_request, response) => response.end("second"), "127.0.0.3");

  const answer = await open({ resolveHost: async () => ["127.0.0.4", "127.0.0.3"] })(`http://two.example:${port}/`);

  expect(await answer.text()).toBe("second");
});

test("a caller's Host header does not choose another site of the server", async () => {
  const port = await serve((request, response) => response.end(request.headers.host));

  const answer = await open()(`http://127.0.0.1:${port}/`, { headers: { host: "internal.example" } });

  expect(await answer.text()).toBe(`127.0.0.1:${port}`);
});

test("proxies of the environment are not used", async () => {
  const proxied = vi.fn();
  const proxy = await serve((_request, response) => {
    proxied();
    response.end("proxied");
  });
  for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) vi.stubEnv(name, `http://127.0.0.1:${proxy}`);
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  cleanups.push(() => vi.unstubAllEnvs());
  const port = await serve((_request, response) => response.end("direct"));

  expect(await (await open()(`http://127.0.0.1:${port}/`)).text()).toBe("direct");
  expect(proxied).not.toHaveBeenCalled();
});

test.each([
  ["closed", async () => "http://127.0.0.1:1024/"],
  ["one that hangs up", async () => `http://127.0.0.1:${await listen(createTcpServer((socket) => socket.destroy()))}/`],
  ["one that speaks no TLS", async () => `https://127.0.0.1:${await serveBytes("hello\r\n")}/`],
])("a port that is %s gets the same sentence", async (_what, urlOf) => {
  const failure = await failureOf(open()(await urlOf()));

  expect([failure.kind, failure.message, failure.cause]).toEqual([
    "unreachable",
    "The server cannot be reached.",
    undefined,
  ]);
});

test("a name that does not exist and one that leads inside get the same sentence", async () => {
  const resolveHost = async (name: string) => {
    if (name === "inside.example") return ["10.0.0.1"];
    throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: "ENOTFOUND" });
  };
  const call = open({ allowsPrivateHosts: false, resolveHost });

  const [nowhere, inside] = [
    await failureOf(call("http://nowhere.example/")),
    await failureOf(call("http://inside.example/")),
  ];

  expect({ ...nowhere, message: nowhere.message }).toEqual({ ...inside, message: inside.message });
});

const ok = "HTTP/1.1 200 OK\r\n";
/** Each limit alone, so that no other limit can take effect first. */
const [silenceMax, totalMax] = [{ idleMs: 200 }, { totalMs: 500 }];

test.each([
  ["never answers", "", undefined],
  ["stops in its head", `${ok}x-a: b\r\n`, undefined],
  ["stops in its body", `${ok}content-length: 10\r\n\r\nabc`, undefined],
  ["is busy without an end", `${ok}content-length: 1000000\r\n\r\n`, " "],
  ["sends headers without an end, slowly", ok, "x: y\r\n"],
  ["goes on telling that it works on it", "HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n"],
])("a server that %s is given up in time", async (_what, text, drip) => {
  const port = await serveBytes(text, (write) => {
    if (drip === undefined) return;
    const timer = setInterval(() => write(drip), 20);
    cleanups.push(() => clearInterval(timer));
  });

  expect(await kindOf(open(drip === undefined ? silenceMax : totalMax)(`http://127.0.0.1:${port}/`))).toBe("timeout");
});

test("a name server that does not answer is given up in time", async () => {
  const resolveHost = () => new Promise<string[]>(() => undefined);

  expect(await kindOf(open({ totalMs: 200, resolveHost })("http://silent.example/"))).toBe("timeout");
});

test("an aborted call rejects with its own reason", async () => {
  const port = await serveBytes(`${ok}content-length: 10\r\n\r\nabc`);
  const aborting = new AbortController();
  const answer = await open()(`http://127.0.0.1:${port}/`, { signal: aborting.signal });

  aborting.abort(new Error("no longer wanted"));

  await expect(answer.text()).rejects.toThrow("no longer wanted");
});

const mebibyte = 1024 * 1024;

test.each([
  ["announces too much", (): RequestListener => (_request, response) => response.end(Buffer.alloc(2 * mebibyte))],
  [
    "sends without an end",
    (): RequestListener => (_request, response) => {
      const write = () => {
        while (response.write(Buffer.alloc(64 * 1024))) if (response.destroyed) return;
        response.once("drain", write);
      };
      write();
    },
  ],
  [
    "sends a gzip bomb",
    (): RequestListener => {
      const bomb = gzipSync(Buffer.alloc(16 * mebibyte));
      return (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    },
  ],
  [
    "sends a gzip bomb in a gzip",
    (): RequestListener => {
      const bomb = gzipSync(gzipSync(Buffer.alloc(16 * mebibyte)));
      return (_request, response) => response.writeHead(200, { "content-encoding": "gzip, gzip" }).end(bomb);
    },
  ],
])("of a server that %s no more than the limit is read", async (_what, answer) => {
  const port = await serve(answer());
  let read = 0;

  const body = (await open()(`http://127.0.0.1:${port}/`)).body as ReadableStream<Uint8Array>;
  const failure = await (async () => {
    for await (const chunk of body) read += chunk.byteLength;
  })().catch((thrown: unknown) => thrown);

  expect(failure).toMatchObject({
    kind: "answer_too_large",
    message: "The server's answer is longer than 1048576 bytes.",
  });
  expect(read).toBeLessThanOrEqual(mebibyte);
});

test("an answer of exactly the limit is read, compressed or not", async () => {
  const whole = Buffer.alloc(1_000, "x");
  const port = await serve((request, response) => {
    if (request.url === "/plain") response.end(whole);
    else response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(whole));
  });
  const call = open({ answerMaxBytes: 1_000 });

  for (const path of ["plain", "gzip"]) {
    const answer = await call(`http://127.0.0.1:${port}/${path}`);
    expect([await answer.text(), answer.headers.get("content-encoding")]).toEqual([String(whole), null]);
  }
  expect(await kindOf(open({ answerMaxBytes: 999 })(`http://127.0.0.1:${port}/gzip`))).toBe("answer_too_large");
});

test.each([
  ["is no HTTP", "hello\r\n\r\n"],
  ["has a status out of range", "HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n"],
  ["has a length and chunks", `${ok}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["is compressed, and broken", `${ok}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`],
  ["has a head of 64 KiB", `${ok}x: ${"y".repeat(64 * 1024)}\r\n\r\n`],
])("an answer that %s is refused", async (_what, text) => {
  const port = await serveBytes(text);

  expect(["answer_unreadable", "unreachable"]).toContain(await kindOf(open(silenceMax)(`http://127.0.0.1:${port}/`)));
});

test("an answer that breaks off is not accepted as complete", async () => {
  const server = createTcpServer((socket) => {
    socket.once("data", () => socket.end(`${ok}content-length: 10\r\n\r\nabc`));
  });

  expect(await kindOf(open()(`http://127.0.0.1:${await listen(server)}/`))).toBe("unreachable");
});

test("a certificate is valid for the requested name, and for no other", async () => {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate]);
  cleanups.push(() => setDefaultCACertificates(before));
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  cleanups.push(() => vi.unstubAllEnvs());
  const server = createTlsServer({ cert: certificate, key: privateKey }, (_request, response) =>
    response.end("secure"),
  );
  const port = await listen(server);
  const call = open({ resolveHost: async () => ["127.0.0.1"] });

  expect(await (await call(`https://secure.example:${port}/`)).text()).toBe("secure");
  for (const host of ["other.example", "127.0.0.1", "sub.secure.example"]) {
    expect([host, await kindOf(call(`https://${host}:${port}/`))]).toEqual([host, "unreachable"]);
  }
});

test("an untrusted certificate is refused", async () => {
  const server = createTlsServer({ cert: certificate, key: privateKey }, (_request, response) =>
    response.end("secure"),
  );
  const port = await listen(server);

  expect(await kindOf(open({ resolveHost: async () => ["127.0.0.1"] })(`https://secure.example:${port}/`))).toBe(
    "unreachable",
  );
});
