import { describe, expect, test } from "vitest";
import type { Message } from "../../src/messages/message.ts";
import { readConversation } from "../../src/messages/read-conversation.ts";

const call = { id: "c1", name: "get_weather", arguments: { city: "Paris" } };
const asked: Message = { role: "user", content: "Weather?" };
const answered: Message = { role: "assistant", content: "Sunny." };
const called: Message = { role: "assistant", content: "", tool_calls: [call] };
const approvalRequest = { type: "mcp_approval_request", id: "m", name: "t", arguments: "{}", server_label: "s" };
const approval = { type: "mcp_approval_response", approval_request_id: "m", approve: true };
const search = { type: "web_search_call", id: "ws", status: "completed", action: { type: "search", query: "Paris" } };
const returned: Message = { role: "tool", content: '{"t":18}', tool_call_id: "c1" };

/** The same conversation in every dialect of otlp 5.1. */
const dialects: [string, unknown, Message[]][] = [
  [
    "GenAI semantic conventions",
    [
      { role: "user", parts: [{ type: "text", content: "Weather?" }] },
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c1", name: "get_weather", arguments: { city: "Paris" } }],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { t: 18 } }] },
      { role: "assistant", parts: [{ type: "text", content: "Sunny." }], finish_reason: "stop" },
    ],
    [asked, called, returned, answered],
  ],
  [
    "GenAI semantic conventions, the registry's own spelling of a result",
    [{ role: "tool", parts: [{ type: "tool_call_response", id: "c1", result: '{"t":18}' }] }],
    [returned],
  ],
  [
    "OpenAI chat",
    [
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: '{"t":18}' },
      { role: "assistant", content: "Sunny." },
    ],
    [asked, called, returned, answered],
  ],
  [
    "an OpenAI chat response",
    { id: "x", choices: [{ index: 0, message: { role: "assistant", content: "Sunny." } }], usage: {} },
    [answered],
  ],
  [
    "an OpenAI refusal",
    { choices: [{ index: 0, message: { role: "assistant", content: null, refusal: "I cannot help." } }] },
    [{ role: "assistant", content: "I cannot help." }],
  ],
  [
    "reasoning beside the answer",
    { choices: [{ message: { role: "assistant", reasoning_content: "think", content: "Sunny." } }] },
    [{ role: "assistant", content: [{ type: "reasoning", text: "think" }] }, answered],
  ],
  [
    "reasoning beside a LangChain message",
    [{ type: "ai", data: { content: "Sunny.", additional_kwargs: { reasoning_content: "think" } } }],
    [{ role: "assistant", content: [{ type: "reasoning", text: "think" }] }, answered],
  ],
  ["an OpenAI completion", { choices: [{ text: "Sunny.", index: 0 }] }, [answered]],
  [
    "OpenAI Responses items",
    [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Weather?" }] },
      { type: "function_call", id: "fc", call_id: "c1", name: "get_weather", arguments: '{"city":"Paris"}' },
      { type: "function_call_output", call_id: "c1", output: '{"t":18}' },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny.", annotations: [] }] },
    ],
    [asked, called, returned, answered],
  ],
  [
    "an OpenAI Responses request",
    { model: "m", input: "Weather?", instructions: "Be brief." },
    [{ role: "system", content: "Be brief." }, asked],
  ],
  [
    "an OpenAI Responses response",
    {
      object: "response",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "think" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny." }] },
      ],
    },
    [{ role: "assistant", content: [{ type: "reasoning", text: "think" }] }, answered],
  ],
  [
    "Responses with reasoning of open models, and with none that can be read",
    [
      { role: "user", content: "Weather?" },
      { type: "reasoning", id: "r1", summary: [], content: [{ type: "reasoning_text", text: "think" }] },
      { type: "reasoning", id: "r2", summary: [], encrypted_content: "x" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny." }] },
    ],
    [asked, { role: "assistant", content: [{ type: "reasoning", text: "think" }] }, answered],
  ],
  [
    "Responses with a web search and an approved MCP call",
    [
      { role: "user", content: "Weather?" },
      { type: "item_reference", id: "msg_1" },
      { type: "custom_tool_call", id: "ct", call_id: "c1", name: "get_weather", input: '{"city":"Paris"}' },
      { type: "custom_tool_call_output", call_id: "c1", output: '{"t":18}' },
      search,
      { type: "computer_call_output", call_id: "c2", output: { type: "computer_screenshot", file_id: "f" } },
      approvalRequest,
      approval,
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny." }] },
    ],
    [
      asked,
      called,
      returned,
      { role: "assistant", content: [search] },
      { role: "tool", content: '{"type":"computer_screenshot","file_id":"f"}', tool_call_id: "c2" },
      { role: "assistant", content: [approvalRequest] },
      { role: "user", content: [approval] },
      answered,
    ],
  ],
  [
    "Anthropic blocks",
    {
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather?" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "get_weather", input: { city: "Paris" } }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: '{"t":18}' }] }],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Sun" },
            { type: "text", text: "ny." },
          ],
        },
      ],
    },
    [{ role: "system", content: "Be brief." }, asked, called, returned, answered],
  ],
  [
    "Gemini",
    {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Weather?" }] },
        { role: "model", parts: [{ functionCall: { id: "c1", name: "get_weather", args: { city: "Paris" } } }] },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "get_weather", response: { t: 18 } } }] },
        { role: "model", parts: [{ text: "Sunny." }] },
      ],
    },
    [{ role: "system", content: "Be brief." }, asked, called, returned, answered],
  ],
  [
    "a Gemini response",
    { candidates: [{ content: { parts: [{ text: "think", thought: true }, { text: "Sunny." }] } }] },
    [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "think" },
          { type: "text", text: "Sunny." },
        ],
      },
    ],
  ],
  ["an ADK response", { content: { role: "model", parts: [{ text: "Sunny." }] }, usage_metadata: {} }, [answered]],
  [
    "an ADK response with its thought",
    { content: { parts: [{ text: "Sunny.", thought_signature: "x" }] } },
    [answered],
  ],
  [
    "Bedrock and Strands",
    [
      { role: "user", content: [{ text: "Weather?" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "c1", name: "get_weather", input: { city: "Paris" } } }] },
      {
        role: "user",
        content: [{ toolResult: { toolUseId: "c1", content: [{ json: { t: 18 } }], status: "success" } }],
      },
      { role: "assistant", content: '[{"text":"Sunny."}]' },
    ],
    [asked, called, returned, answered],
  ],
  ["a Bedrock response", { output: { message: { role: "assistant", content: [{ text: "Sunny." }] } } }, [answered]],
  [
    "LangChain, serialised",
    {
      messages: [
        [
          constructed("HumanMessage", { content: "Weather?" }),
          constructed("AIMessage", {
            content: "",
            tool_calls: [{ id: "c1", name: "get_weather", args: { city: "Paris" } }],
          }),
          constructed("ToolMessage", { content: '{"t":18}', tool_call_id: "c1" }),
          constructed("AIMessageChunk", { content: "Sunny." }),
        ],
      ],
    },
    [asked, called, returned, answered],
  ],
  [
    "LangChain with Anthropic's parts",
    [
      constructed("AIMessage", {
        content: [{ type: "tool_use", id: "c1", name: "get_weather", input: { city: "Paris" } }],
        tool_calls: [{ name: "get_weather", args: { city: "Paris" }, id: "c1" }],
      }),
    ],
    [called],
  ],
  [
    "LangChain, as dictionaries",
    [
      { type: "human", content: "Weather?" },
      { type: "ai", data: { content: "Sunny." } },
    ],
    [asked, answered],
  ],
  [
    "a LangChain result",
    { generations: [[{ text: "Sunny.", message: constructed("AIMessage", { content: "Sunny." }) }]] },
    [answered],
  ],
  [
    "a LangChain prompt value",
    constructed("ChatPromptValue", { messages: [constructed("HumanMessage", { content: "Weather?" })] }),
    [asked],
  ],
  [
    "the AI SDK",
    [
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "get_weather", input: { city: "Paris" } }],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "x", output: { type: "json", value: { t: 18 } } }],
      },
      { role: "assistant", content: "Sunny." },
    ],
    [asked, called, returned, answered],
  ],
  [
    "the AI SDK before version 5",
    [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "get_weather", args: { city: "Paris" } }],
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", result: { t: 18 } }] },
    ],
    [called, returned],
  ],
  ["an AI SDK prompt", { system: "Be brief.", prompt: "Weather?" }, [{ role: "system", content: "Be brief." }, asked]],
  [
    "an AI SDK prompt of messages",
    { system: "Be brief.", prompt: [{ role: "user", content: [{ type: "text", text: "Weather?" }] }] },
    [{ role: "system", content: "Be brief." }, asked],
  ],
  [
    "an AI SDK prompt with system messages",
    { system: [{ role: "system", content: "Be brief.", providerOptions: {} }], prompt: "Weather?" },
    [{ role: "system", content: "Be brief." }, asked],
  ],
  [
    "Genkit",
    {
      messages: [
        { role: "user", content: [{ text: "Weather?" }] },
        { role: "model", content: [{ toolRequest: { ref: "c1", name: "get_weather", input: { city: "Paris" } } }] },
        { role: "tool", content: [{ toolResponse: { ref: "c1", name: "get_weather", output: { t: 18 } } }] },
      ],
    },
    [asked, called, returned],
  ],
  [
    "Pydantic AI",
    [
      {
        kind: "request",
        parts: [
          { part_kind: "system-prompt", content: "Be brief." },
          { part_kind: "user-prompt", content: "Weather?" },
        ],
      },
      {
        kind: "response",
        parts: [{ part_kind: "tool-call", tool_call_id: "c1", tool_name: "get_weather", args: '{"city":"Paris"}' }],
      },
      { kind: "request", parts: [{ part_kind: "tool-return", tool_call_id: "c1", content: { t: 18 } }] },
      { kind: "response", parts: [{ part_kind: "text", content: "Sunny." }] },
    ],
    [{ role: "system", content: "Be brief." }, asked, called, returned, answered],
  ],
  [
    "OpenInference families",
    [
      { message: { role: "user", contents: [{ message_content: { type: "text", text: "Weather?" } }] } },
      {
        message: {
          role: "assistant",
          tool_calls: [{ tool_call: { id: "c1", function: { name: "get_weather", arguments: '{"city":"Paris"}' } } }],
        },
      },
      { message: { role: "tool", content: '{"t":18}', tool_call_id: "c1" } },
    ],
    [asked, called, returned],
  ],
];

function constructed(name: string, kwargs: unknown): unknown {
  return { lc: 1, type: "constructor", id: ["langchain_core", "messages", name], kwargs };
}

describe("a conversation", () => {
  test.each(dialects)("of %s comes out in the one form", (_dialect, value, expected) => {
    expect(readConversation(value)?.messages).toEqual(expected);
  });

  test.each([
    "text",
    7,
    null,
    [],
    {},
    { q: "What?" },
    { prompt: "x", other: 1 },
    { input: "x" },
    [{ role: "admin", content: "x" }],
    [{ role: "user" }, { name: "Ann" }],
    { role: "user", name: "Ann" },
    [{ text: "a" }, { text: "b" }],
    { output: { city: "Paris" } },
    { messages: "none" },
    { type: "function", name: "get_weather" },
    { type: "phone_call", id: "7" },
    [{ type: "phone_call", id: "7" }],
    { object: "response", output: [{ type: "reasoning", id: "r", summary: [] }] },
    [{ role: "user", content: "x" }, { type: "phone_call" }],
  ])("is not seen in %o", (value) => {
    expect(readConversation(value)).toBeNull();
  });

  test("that is part of a larger object is marked incomplete, so that the object is kept", () => {
    const messages = [{ role: "user", content: "Weather?" }];
    expect(readConversation({ messages, tools: [], model: "m" })?.complete).toBe(true);
    expect(readConversation({ messages, documents: [] })?.complete).toBe(false);
    expect(readConversation({ choices: [{ message: messages[0] }], usage: {} })?.complete).toBe(false);
  });

  test("keeps parts we do not know as they were sent", () => {
    const image = { type: "image_url", image_url: { url: "data:x" } };
    expect(readConversation([{ role: "user", content: [{ type: "text", text: "See" }, image] }])?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "See" }, image] },
    ]);
  });

  test("splits text, calls and results of one message in the order they were said", () => {
    const parts = [
      { type: "text", content: "Let me look." },
      { type: "tool_call", id: "c1", name: "get_weather", arguments: { city: "Paris" } },
      { type: "tool_call_response", id: "c1", response: "18" },
    ];
    expect(readConversation([{ role: "assistant", parts }])?.messages).toEqual([
      { role: "assistant", content: "Let me look.", tool_calls: [call] },
      { role: "tool", content: "18", tool_call_id: "c1" },
    ]);
    const reply = [
      { type: "tool_result", tool_use_id: "c1", content: "18" },
      { type: "text", text: "And now?" },
    ];
    expect(readConversation([{ role: "user", content: reply }])?.messages).toEqual([
      { role: "tool", content: "18", tool_call_id: "c1" },
      { role: "user", content: "And now?" },
    ]);
  });
});
