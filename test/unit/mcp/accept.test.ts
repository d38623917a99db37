import { expect } from "chai";
import { answerForm } from "../../../services/api/mcp/accept.ts";

describe("the form in which an MCP client is answered", () => {
  for (const [accept, form] of [
    [undefined, "json"],
    ["", "json"],
    [" , ", "json"],
    ["*/*", "json"],
    ["application/json", "json"],
    ["application/*", "json"],
    ["Application/JSON; charset=utf-8", "json"],
    ["text/event-stream", "events"],
    ["text/*", "events"],
    ["application/json, text/event-stream", "json"],
    ["text/event-stream, application/json", "json"],
    ["application/json;q=0.5, text/event-stream", "events"],
    ["application/json, text/event-stream;q=0.9", "json"],
    ["application/json;q=0.2, */*", "json"],
    ["application/json;q=0, */*", "events"],
    ["text/event-stream;q=0, */*;q=0.1", "json"],
    ["text/html, */*;q=0.1", "json"],
    ["application/json;q=x", "json"],
    ["application/json;q=0, text/event-stream;q=0", null],
    ["text/html", null],
    ["*/*;q=0", null],
  ] as const)
    it(`${accept === undefined ? "without an Accept" : `for '${accept}'`} is ${form ?? "none"}`, () =>
      expect(answerForm(accept)).to.equal(form));
});
