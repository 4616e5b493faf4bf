import { describe, expect, test } from "vitest";
import { lastText, type Message, messageText, withInstructions } from "../../src/messages/message.ts";

const asked: Message = { role: "user", content: "Weather?" };
const answered: Message = { role: "assistant", content: "Sunny." };
const called: Message = { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "t", arguments: {} }] };

describe("a message", () => {
  test("reads as its text parts joined, without reasoning", () => {
    const content = [
      { type: "reasoning", text: "think" },
      { type: "text", text: "Sun" },
      { type: "image" },
      { type: "text", text: "ny." },
    ];
    expect(messageText({ role: "assistant", content })).toBe("Sunny.");
  });

  test("of a role is found from the end, and silence is no text", () => {
    expect(lastText([asked, answered, { role: "user", content: "Thanks" }], "user")).toBe("Thanks");
    expect(lastText([asked, called], "assistant")).toBeNull();
    expect(lastText([], "user")).toBeNull();
  });

  test("of instructions comes first, once", () => {
    const system: Message = { role: "system", content: "Be brief." };
    const repeated: Message = { role: "developer", content: "Be brief." };
    const other: Message = { role: "system", content: "Be kind." };
    expect(withInstructions([asked], [system])).toEqual([system, asked]);
    expect(withInstructions([asked, repeated], [system])).toEqual([asked, repeated]);
    expect(withInstructions([other, asked], [system])).toEqual([system, other, asked]);
  });
});
