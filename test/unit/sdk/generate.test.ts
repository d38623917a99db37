import { expect } from "chai";
import type { Schema } from "../../../sdk/generate/document.ts";
import { modelOf } from "../../../sdk/generate/model.ts";
import { typescriptOf } from "../../../sdk/generate/typescript.ts";
import { typeOf } from "../../../sdk/generate/typescript-types.ts";
import { DOCUMENT, ok, text } from "./small-document.ts";

describe("the generator of clients", () => {
  it("stops at a name that is an operation and a group, and at one of two operations", () => {
    const paths = (...names: string[]) =>
      Object.fromEntries(
        names.map((name, index) => [`/${index}`, { get: { operationId: "x", "x-sdk-name": name, responses: ok(text) } }]),
      );
    expect(() => modelOf({ ...DOCUMENT, paths: paths("a.b", "a.b.c") })).to.throw("a.b");
    expect(() => modelOf({ ...DOCUMENT, paths: paths("a.b", "a.b") })).to.throw("a.b");
  });

  it("leaves out redirects of browsers, and schemas that nothing needs", () => {
    const { operations, schemas } = modelOf(DOCUMENT);
    expect(operations.map(({ name }) => name)).not.to.include("signIn.redirect");
    expect([...schemas.keys()]).to.deep.equal(["Page_Row_", "Row"]);
  });

  it("makes types of schemas", () => {
    const types: [Schema, string][] = [
      [text, "string"],
      [{ type: ["integer", "null"] }, "number | null"],
      [{ enum: ["a", null, 1] }, '"a" | null | 1'],
      [{ const: "a" }, '"a"'],
      [{ type: "array", items: { anyOf: [text, { type: "null" }] } }, "(string | null)[]"],
      [{ type: "object", additionalProperties: text }, "Record<string, string>"],
      [{ type: "object", additionalProperties: true }, "Record<string, unknown>"],
      [{ allOf: [{ $ref: "#/components/schemas/A" }, { enum: [1, 2] }] }, "A & (1 | 2)"],
      [{ ...text, contentMediaType: "application/octet-stream" }, "Upload"],
      [{ $ref: "#/components/schemas/Page_Row_" }, "Page<Row>"],
      [{ $ref: "#/components/schemas/Error" }, "ErrorModel"],
      [{}, "unknown"],
    ];
    for (const [schema, type] of types) expect(typeOf(schema)).to.equal(type);
  });

  it("writes methods, their documents and the table that the client calls by", () => {
    const { "api.ts": api = "", "types.ts": types = "", "operations.ts": operations = "" } = typescriptOf(modelOf(DOCUMENT));
    for (const line of [
      "list(query?: RowsListQuery, options?: CallOptions): Listing<Row>;",
      "create(body: Row, options?: WriteOptions): Answer<Row>;",
      "update(rowId: string, body?: Row, options?: ChangeOptions): Answer<Row | undefined>;",
      "list(query?: RowsKindsListQuery, options?: CallOptions): Listing<string, string[]>;",
      "get(rowId: string, options?: CallOptions): Answer<Download>;",
      "     * Create a row\n",
    ])
      expect(api).to.include(line);
    expect(types).to.include('  kind?: "a" | "b" | readonly ("a" | "b")[];');
    expect(types)
      .to.include('  "row.made": {')
      .and.to.include("/** Its id *\\/ */\n  id: string;")
      .and.to.include("note?: string | null;");
    for (const line of [
      '"rows.list": "GET /rows query answers:page limit count"',
      '"rows.create": "POST /rows sends:json key"',
      '"rows.kinds.list": "GET /rows/kinds query answers:list"',
      '"rows.file.get": "GET /rows/{row_id}/file answers:file"',
    ])
      expect(operations).to.include(line);
  });
});
