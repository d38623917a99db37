import { expect } from "chai";
import type { Document, DocumentOperation, Schema } from "../../../sdk/generate/document.ts";
import { modelOf } from "../../../sdk/generate/model.ts";
import { typescriptOf } from "../../../sdk/generate/typescript.ts";
import { typeOf } from "../../../sdk/generate/typescript-types.ts";

const json = (schema: Schema) => ({ "application/json": { schema } });
const ok = (schema: Schema, more: object = {}): DocumentOperation["responses"] => ({ 200: { content: json(schema), ...more } });
const text: Schema = { type: "string" };
const row: Schema = {
  type: "object",
  required: ["id"],
  properties: { id: { ...text, description: "Its id */" }, note: { type: ["string", "null"] } },
};
const page: Schema = {
  type: "object",
  properties: { items: { type: "array", items: { $ref: "#/components/schemas/Row" } }, next_cursor: text },
};
const query = (...names: string[]) => names.map((name) => ({ name, in: "query" as const, schema: text }));
const id = { name: "row_id", in: "path" as const, required: true, schema: text };
const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` }) as never;

const DOCUMENT: Document = {
  info: { version: "1.2.3" },
  paths: {
    "/rows": {
      get: {
        operationId: "rowsList",
        "x-sdk-name": "rows.list",
        parameters: query("limit", "count", "cursor", "q"),
        responses: ok({ $ref: "#/components/schemas/Page_Row_" }),
      },
      post: {
        operationId: "rowsCreate",
        "x-sdk-name": "rows.create",
        summary: "Create a row",
        parameters: [shared("Idempotency-Key")],
        requestBody: { required: true, content: json({ $ref: "#/components/schemas/Row" }) },
        responses: ok({ $ref: "#/components/schemas/Row" }),
      },
    },
    "/rows/{row_id}": {
      patch: {
        operationId: "rowsUpdate",
        "x-sdk-name": "rows.update",
        parameters: [id, shared("Idempotency-Key"), shared("If-Match")],
        requestBody: { content: json({ $ref: "#/components/schemas/Row" }) },
        responses: { ...ok({ $ref: "#/components/schemas/Row" }), 204: {} },
      },
    },
    "/rows/kinds": {
      get: {
        operationId: "rowsKindsList",
        "x-sdk-name": "rows.kinds.list",
        parameters: query("updated_since"),
        responses: ok({ type: "array", items: text }),
      },
    },
    "/rows/{row_id}/file": {
      get: {
        operationId: "rowsFile",
        "x-sdk-name": "rows.file.get",
        parameters: [id],
        responses: { 200: { content: { "application/pdf": {} } } },
      },
    },
    "/sign-in": { get: { operationId: "signIn", "x-sdk-name": "signIn.redirect", responses: { 302: {} } } },
  },
  webhooks: {
    "row.made": {
      post: { operationId: "webhookRowMade", description: "A row was made", requestBody: { content: json(row) }, responses: {} },
    },
  },
  components: { schemas: { Row: row, Page_Row_: page, Unused: text } },
};

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
