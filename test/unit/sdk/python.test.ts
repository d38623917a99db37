import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { Schema } from "../../../sdk/generate/document.ts";
import { modelOf } from "../../../sdk/generate/model.ts";
import { pythonOf, syncOf } from "../../../sdk/generate/python.ts";
import { docstring, PythonTypes } from "../../../sdk/generate/python-models.ts";
import { DOCUMENT, text } from "./small-document.ts";

const SOURCE = path.join(import.meta.dirname, "../../../sdk/python/src/kantoor/client_async.py");

describe("the generator of the Python client", () => {
  it("makes types of schemas", () => {
    const types: [Schema, string][] = [
      [text, "str"],
      [{ type: ["integer", "null"] }, "Union[int, None]"],
      [{ enum: ["a", null, true] }, 'Literal["a", None, True]'],
      [{ const: "a" }, 'Literal["a"]'],
      [{ type: "array", items: { anyOf: [text, { type: "null" }] } }, "List[Union[str, None]]"],
      [{ type: "object", additionalProperties: text }, "Dict[str, str]"],
      [{ type: "object" }, "Dict[str, object]"],
      [{ ...text, contentMediaType: "application/octet-stream" }, "Upload"],
      [{ $ref: "#/components/schemas/Page_Row_" }, "Page[Row]"],
      [{ $ref: "#/components/schemas/Page" }, "PageModel"],
      [{ type: "object", properties: { a: text } }, "Inner"],
      [{ allOf: [{ $ref: "#/components/schemas/Row" }, { type: "object", properties: { b: text } }] }, "Inner"],
      [{}, "object"],
    ];
    for (const [schema, type] of types) expect(new PythonTypes(modelOf(DOCUMENT)).typeOf(schema, "Inner")).to.equal(type);
  });

  it("declares objects with what can be absent, and names that Python has as texts", () => {
    const types = new PythonTypes(modelOf(DOCUMENT));
    types.declare("Given", { required: ["a"], properties: { a: { type: "object", properties: { from: text } }, b: text } });
    const module = types.module();
    expect(module).to.include("class Given(TypedDict):\n    a: GivenA\n    b: NotRequired[str]\n");
    expect(module).to.include('GivenA = TypedDict("GivenA", {"from": "NotRequired[str]"})');
    expect(module).to.include('WebhookMessage: TypeAlias = Union[\n    "WebhookRowMade",\n]');
  });

  it("writes methods for threads and for asyncio", () => {
    const { "api_sync.py": sync = "", "api_async.py": async = "" } = pythonOf(modelOf(DOCUMENT), "");
    for (const line of [
      "def create(self, body: Row, *, idempotency_key: Union[str, None] = None) -> Row:",
      "def get(self, row_id: str) -> Download:",
      "class RowsGroup:\n    def __init__(self, client: Client) -> None:\n        self._client = client\n        self.file = RowsFileGroup(client)",
      'Operation("GET", "/rows", walks=["limit","count"])',
      "-> Listing[str, List[str]]:",
      'kind: Union[Union[Literal["a", "b"], Sequence[Literal["a", "b"]]], None] = None',
    ])
      expect(sync).to.include(line);
    expect(async).to.include("async def create(").and.to.include('cast("Row", await self._client.json(');
    expect(async).to.include("-> AsyncListing[Row, Page[Row]]:");
  });

  it("writes the client for threads from that for asyncio, with nothing of asyncio left", () => {
    const written = syncOf(readFileSync(SOURCE, "utf8"));
    expect(written).to.match(/^"""The client for threads\./);
    expect(written.match(/.*(\basync\b|\bawait\b|Async|asyncio(?!`)|\ba(close|read|iter)).*/g)).to.deep.equal(null);
  });

  it("ends no docstring early", () => {
    expect(docstring(['say """ and \\'], "  ")).to.equal('  """say \\""" and \\\\"""\n');
    expect(docstring(['it is "so"'], "")).to.equal('"""\nit is "so"\n"""\n');
  });
});
