import { limits } from "@touchstone/contracts";
import { scanMembers, uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { type Reply, useIngest } from "./running-ingest.ts";

/** What agents log and parsers trip over, over HTTP and PostgreSQL. */

const { ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());
const nest = (depth: number, open = "[", close = "]", core = ""): string =>
  open.repeat(depth) + core + close.repeat(depth);
const manyMembers = (first: string): string =>
  `{${first}${Array.from({ length: limits.jsonMembersMax }, (_, at) => `,"${at}":0`).join("")}}`;
const post = (projectId: string, body: string | Buffer, contentType = "application/json"): Promise<Reply> =>
  ingest.call(projectId, "POST", "/api/v1/ingest/traces", { body, headers: { "content-type": contentType } });
const stored = async (projectId: string): Promise<number> =>
  (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.totalCount;

describe("is kept as it was sent, in detail, list and export:", () => {
  test.each([
    ["nesting up to the limit", nest(limits.jsonDepthMax - 1)],
    ["objects nested up to the limit", nest(limits.jsonDepthMax - 1, '{"a":', "}", "1")],
    ["NUL in a value", '"a\\u0000b"'],
    ["NUL in a key", '{"a\\u0000":{"\\u0000":1}}'],
    ["lone surrogates in values and keys", '{"\\ud800":"\\udc00\\ud800","x":"\\uDFFF"}'],
    ["a pair of surrogates as escapes and as bytes", '["\\ud83d\\ude00","\u{1f600}"]'],
    ["integers over 2^53", "[9007199254740993,-123456789012345678901234567890]"],
    ["numbers no double holds", "[1e309,-1e400,1E-400,0.10000000000000000555,1.50]"],
    ["minus zero in every form", "[-0,-0.0,-0e-1,0.00]"],
    ["__proto__ and its escape", '{"__proto__":{"x":1},"\\u005f\\u005fproto__":2,"constructor":{"prototype":{"y":3}}}'],
    ["repeated keys", '{"a":1,"a":2,"a":{"a":3,"a":4}}'],
    ["white space between tokens", '{ "a" :\t[ 1 , 2 ] }'],
    ["escapes that need not be any", '"\\/\\u002f\\u00e9é\\b\\f\\n\\r\\t"'],
    ["line separators of JavaScript", '"\u2028\u2029\u007f"'],
    ["null itself", "null"],
    ["an empty string, array and object", '["",[],{}]'],
    ["more items than any object may have members", `[${"1,".repeat(limits.jsonMembersMax)}1]`],
  ])("%s", async (_what, value) => {
    const projectId = newProject();
    const object = `{"kept":${value}}`;
    const { status, json, text } = await post(
      projectId,
      `{"name":"x","input":${value},"output":${value},"metadata":${object},"performance_summary":${object},
        "tool_calls":[{"name":"t","input":${value}}]}`,
    );
    expect(status, text).toBe(201);

    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${json.trace_id}`);
    const exported = await ingest.call(projectId, "GET", "/api/v1/export/traces");
    const list = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(list.text).toContain(`"input":${value},"output":${value},`);
    for (const answer of [detail.text, exported.text]) {
      const { members } = scanMembers(answer);
      expect(members?.get("input")?.text).toBe(value);
      expect(members?.get("output")?.text).toBe(value);
      expect(members?.get("toolCalls")?.text).toBe(`[{"name":"t","input":${value},"success":true}]`);
      expect(members?.get("metadata")?.text).toBe(object);
      expect(members?.get("performanceSummary")?.text).toBe(object);
    }
    expect(Object.prototype).not.toHaveProperty("x");
  });

  test("a NUL in an error message", async () => {
    const projectId = newProject();
    const { json } = await post(projectId, '{"name":"x","error":"no\\u0000pe \\ud800"}');
    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${json.trace_id}`);
    expect(detail.json.error).toBe("no\0pe \ud800");
  });

  test("a body that begins with a byte order mark", async () => {
    const projectId = newProject();
    expect((await post(projectId, '\ufeff{"name":"x"}')).status).toBe(201);
    expect(await stored(projectId)).toBe(1);
  });
});

describe("is refused, and nothing is stored:", () => {
  test.each([
    ["nesting beyond the limit", `{"name":"x","input":${nest(limits.jsonDepthMax + 1)}}`, 422],
    ["metadata nested 10,000 deep", `{"name":"x","metadata":${nest(10_000, '{"a":', "}", "1")}}`, 422],
    ["input nested a million deep", `{"name":"x","input":${nest(1_000_000)}}`, 422],
    ["a million brackets that nobody closes", `{"name":"x","input":${"[".repeat(1_000_000)}`, 400],
    ["a tool call nested 10,000 deep", `{"name":"x","tool_calls":[{"input":${nest(10_000)}}]}`, 422],
    ["a body nested a million deep", nest(1_000_000), 422],
    ["a body of too many members", manyMembers('"name":"x"'), 400],
    ["metadata of too many members", `{"name":"x","metadata":${manyMembers('"kind":"llm"')}}`, 400],
    ["a tool call of too many members", `{"name":"x","tool_calls":[${manyMembers('"name":"t"')}]}`, 400],
    ["too many tool calls", `{"name":"x","tool_calls":[${"{},".repeat(limits.jsonMembersMax)}{}]}`, 400],
    ["NUL in a name", '{"name":"a\\u0000"}', 422],
    ["a lone surrogate in a name", '{"name":"\\ud800"}', 422],
    ["NUL in a session id", '{"name":"x","session_id":"\\u0000"}', 422],
    ["a lone surrogate in a span id", '{"name":"x","span_id":"\\udc00"}', 422],
    ["NUL in a model", '{"name":"x","model":"m\\u0000"}', 422],
    ["a latency beyond doubles", '{"name":"x","latency_ms":1e309}', 422],
    ["a token count beyond doubles", '{"name":"x","input_tokens":-1e400}', 422],
    ["an unescaped control character", '{"name":"x","input":"a\u0000b"}', 400],
    ["NaN", '{"name":"x","input":NaN}', 400],
    ["a comma too many", '{"name":"x",}', 400],
    ["half an escape", '{"name":"x","input":"\\u00"}', 400],
    ["nothing", "", 400],
    ["only white space", " \n\t", 400],
    ["only a byte order mark", "\ufeff", 400],
    ["two byte order marks", '\ufeff\ufeff{"name":"x"}', 400],
  ])("%s", async (_what, body, status) => {
    const projectId = newProject();
    const reply = await post(projectId, body);
    expect(reply.status, reply.text).toBe(status);
    expect(await stored(projectId)).toBe(0);
  });

  test.each([
    ["a byte that begins nothing", [0xff]],
    ["half a character", [0xc3]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a surrogate as bytes", [0xed, 0xa0, 0x80]],
    ["a code point past the last", [0xf4, 0x90, 0x80, 0x80]],
  ])("text that is not UTF-8: %s", async (_what, bytes) => {
    const projectId = newProject();
    const body = Buffer.concat([Buffer.from('{"name":"x","input":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const reply = await post(projectId, body);
    expect([reply.status, reply.json]).toEqual([
      400,
      { statusCode: 400, message: "The request body is not valid UTF-8." },
    ]);
    expect(await stored(projectId)).toBe(0);
  });

  test.each([
    ["another charset", "application/json; charset=latin1"],
    ["a charset nobody knows", "application/json; charset=bogus"],
    ["UTF-16", "application/json; charset=utf-16le"],
    ["text", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["a longer name", "application/json5"],
  ])("a content type of %s", async (_what, contentType) => {
    const projectId = newProject();
    const reply = await post(projectId, '{"name":"x"}', contentType);
    expect([reply.status, reply.json]).toEqual([415, { statusCode: 415, message: expect.any(String) }]);
    expect(await stored(projectId)).toBe(0);
  });

  test.each([
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "Application/JSON; x=y; charset=utf8",
  ])("but not the content type %s", async (contentType) => {
    expect((await post(newProject(), '{"name":"x"}', contentType)).status).toBe(201);
  });
});
