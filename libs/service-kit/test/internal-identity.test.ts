import { expect, test } from "vitest";
import { createIdentitySigner, createIdentityVerifier } from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const request = { method: "GET", path: "/api/v1/ingest/traces?limit=5" };
const claims = {
  projectId: "00000000-0000-7000-8000-000000000001",
  organizationId: null,
  userId: null,
  role: "key" as const,
  requestId: "request-1",
  ...request,
};

function arrange() {
  const clock = { nowMs: 1_000_000, now: () => clock.nowMs };
  const sign = createIdentitySigner({ issuer: "gateway", audience: "ingest", rootSecret, clock });
  const verify = createIdentityVerifier({ audience: "ingest", rootSecret, clock });
  return { clock, sign, verify };
}

test("an identity is accepted by its audience for its method and path", () => {
  const { sign, verify } = arrange();

  expect(verify(sign(claims), request)).toMatchObject({ issuer: "gateway", projectId: claims.projectId });
});

test("an identity is refused for another path, another method and another audience", () => {
  const { sign, verify, clock } = arrange();
  const header = sign(claims);
  const elsewhere = createIdentityVerifier({ audience: "eval-runs", rootSecret, clock });

  expect(verify(header, { ...request, path: "/api/v1/ingest/traces?limit=6" })).toBeNull();
  expect(verify(header, { ...request, method: "DELETE" })).toBeNull();
  expect(elsewhere(header, request)).toBeNull();
});

test("an identity expires after thirty seconds", () => {
  const { sign, verify, clock } = arrange();
  const header = sign(claims);

  clock.nowMs += 30_001;

  expect(verify(header, request)).toBeNull();
});

test.each([
  ["ten minutes ahead", 600_000, null],
  ["ten minutes behind", -600_000, expect.anything()],
])("a receiver whose clock is %s learns by how much, from signed identities only", (_, offsetMs, accepted) => {
  const { sign, clock } = arrange();
  const noted: unknown[] = [];
  const verify = createIdentityVerifier({
    ...{ audience: "ingest", rootSecret },
    clock: { now: () => clock.now() + offsetMs },
    noteClock: (...note) => void noted.push(note),
  });
  const header = sign(claims);

  expect(verify(header, request)).toEqual(accepted);
  expect(noted).toEqual([[offsetMs, "gateway"]]);
  expect(verify(`${header.split(".")[0]}.forged`, request)).toBeNull();
  expect(noted).toHaveLength(1);
});

test("a changed project, a wrong secret, a missing and a malformed header are refused", () => {
  const { sign, verify, clock } = arrange();
  const [payload = "", signature = ""] = sign(claims).split(".");
  const changed = Buffer.from(payload, "base64url")
    .toString()
    .replace(claims.projectId, claims.projectId.replace("1", "2"));
  const stranger = createIdentitySigner({ issuer: "gateway", audience: "ingest", rootSecret: `${rootSecret}!`, clock });

  for (const header of [
    `${Buffer.from(changed).toString("base64url")}.${signature}`,
    stranger(claims),
    `${payload}.`,
    payload,
    "",
    ".",
    "not json.at all",
    undefined,
  ]) {
    expect(verify(header, request)).toBeNull();
  }
});
