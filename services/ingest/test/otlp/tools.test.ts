import { expect, test } from "vitest";
import { rowOf, type SpanSketch } from "./build-export.ts";

const weather = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" };

test.each<[string, SpanSketch, string, object]>([
  [
    "OpenTelemetry's Google SDK: each argument by its type",
    {
      name: "execute_tool get_weather",
      attributes: {
        ...weather,
        "code.args.positional.count": 0,
        "code.args.keyword.count": 3,
        "code.function.parameters.city.type": "str",
        "code.function.parameters.city.value": "7",
        "code.function.parameters.note.type": "str",
        "code.function.parameters.note.value": "",
        "code.function.parameters.where.type": "dict",
        "code.function.parameters.where.value": '{"zip": 1}',
        "code.function.return.type": "str",
        "code.function.return.value": "18",
      },
    },
    "execute_tool get_weather",
    { name: "get_weather", input: { city: "7", note: "", where: { zip: 1 } }, output: "18" },
  ],
  [
    "OpenTelemetry's Google SDK: a result that is no text",
    {
      name: "execute_tool get_weather",
      attributes: {
        ...weather,
        "code.args.positional.count": 0,
        "code.args.keyword.count": 0,
        "code.function.return.type": "dict",
        "code.function.return.value": '{"degrees": 18}',
      },
    },
    "execute_tool get_weather",
    { name: "get_weather", output: { degrees: 18 } },
  ],
  [
    "Effect AI",
    { name: "Toolkit.handle", attributes: { tool: "get_weather", parameters: '{\n  "city": "Paris"\n}' } },
    "get_weather",
    { name: "get_weather", input: { city: "Paris" } },
  ],
  [
    "LiveKit Agents",
    {
      name: "function_tool",
      scope: "livekit-agents",
      attributes: {
        "lk.function_tool.name": "get_weather",
        "lk.function_tool.arguments": '{"city":"Paris"}',
        "lk.function_tool.output": "18 degrees",
      },
    },
    "get_weather",
    { name: "get_weather", input: { city: "Paris" }, output: "18 degrees" },
  ],
])("a call of a tool of %s", async (_what, sketch, name, call) => {
  const row = await rowOf(sketch);
  expect(row).toMatchObject({ name, kind: "tool", toolCalls: [call] });
});

test("`tool` and `parameters` mean a call of a tool only beside each other, or on a span that is one", async () => {
  const attributes = { tool: "hammer", parameters: '{"a":1}' };
  expect(await rowOf({ name: "work", attributes })).toMatchObject({ name: "work", kind: "chain", input: null });
  const declared = { "gen_ai.operation.name": "execute_tool" };
  expect(await rowOf({ name: "execute_tool saw", attributes: { ...declared, parameters: '{"a":1}' } })).toMatchObject({
    name: "execute_tool saw",
    input: null,
  });
});
