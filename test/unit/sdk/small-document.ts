import type { Document, DocumentOperation, Schema } from "../../../sdk/generate/document.ts";

const json = (schema: Schema) => ({ "application/json": { schema } });
export const ok = (schema: Schema, more: object = {}): DocumentOperation["responses"] => ({
  200: { content: json(schema), ...more },
});
export const text: Schema = { type: "string" };
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
const kinds = { in: "query" as const, schema: { type: "array", items: { enum: ["a", "b"] } } };
const id = { name: "row_id", in: "path" as const, required: true, schema: text };
const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` }) as never;

/** A document with one operation of each kind. */
export const DOCUMENT: Document = {
  info: { version: "1.2.3" },
  paths: {
    "/rows": {
      get: {
        operationId: "rowsList",
        "x-sdk-name": "rows.list",
        parameters: [...query("limit", "count", "cursor"), { ...kinds, name: "kind" }],
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
