import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOutboundFetch, type OutboundFetch, readOutboundUrl } from "../../src/index.ts";
import { hostileUrls, scriptedNames } from "./hostile-urls.ts";

const resolveHost = async (hostname: string) => {
  const addresses = scriptedNames[hostname];
  if (addresses === undefined) throw new Error("ENOTFOUND");
  return addresses;
};
let server: Server;
let connections = 0;
let strict: OutboundFetch;
let trusting: OutboundFetch;

beforeAll(async () => {
  server = createServer((_request, response) => response.end("reached"));
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  strict = createOutboundFetch({ allowsPrivateHosts: false, resolveHost });
  trusting = createOutboundFetch({ allowsPrivateHosts: true, resolveHost });
});

afterAll(async () => {
  await Promise.all([strict?.close(), trusting?.close()]);
  server?.close();
});

const fill = (url: string) => url.replace("{port}", String((server.address() as AddressInfo).port));

const sentences = {
  url_refused: /^The URL cannot be called: .+\.$/,
  address_refused: /^The host of the URL has no address that may be called\.$/,
};

test("the corpus is large, without duplicates", () => {
  const urls = hostileUrls.flatMap((group) => group.urls);

  expect(urls.length).toBeGreaterThan(200);
  expect(new Set(urls).size).toBe(urls.length);
});

for (const { why, refusal, inside, urls } of hostileUrls) {
  describe(why, () => {
    test.each(urls)("%j is refused, and no connection is made", async (url) => {
      const before = connections;

      await expect(strict(fill(url))).rejects.toMatchObject({
        name: "OutboundError",
        kind: refusal,
        message: expect.stringMatching(sentences[refusal as keyof typeof sentences]),
      });

      expect(connections).toBe(before);
    });

    // That a spelling reaches an allowed host shows that the refusal was needed.
    test.each(urls)(`where private hosts are allowed %j is ${inside}`, async (url) => {
      if (inside === "reached") expect(await (await trusting(fill(url))).text()).toBe("reached");
      else if (inside === "allowed")
        expect(readOutboundUrl(fill(url), { allowsPrivateHosts: true })).toBeInstanceOf(URL);
      else await expect(trusting(fill(url))).rejects.toMatchObject({ kind: refusal });
    });
  });
}
