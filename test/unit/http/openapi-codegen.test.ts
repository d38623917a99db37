import { expect } from "chai";
import { codegenDocument } from "../../../services/api/openapi/openapi-codegen.ts";
import { documentOf, fixture } from "../../support/openapi.ts";

interface Made {
  paths: Record<string, Record<string, { parameters: { name: string; style?: string; explode?: boolean; schema: object }[] }>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

describe("codegenDocument()", () => {
  /** The document for generators of one parameter, or of one schema. */
  const parameter = (schema: object) => {
    const get = { parameters: [{ name: "kites", in: "query", schema }] };
    const made = codegenDocument({ paths: { "/kites": { get } }, components: { schemas: {} } }) as Made;
    return made.paths["/kites"]?.["get"]?.parameters[0];
  };
  const schemas = (given: Record<string, object>) =>
    (codegenDocument({ paths: {}, components: { schemas: given } }) as Made).components.schemas;
  const content = (given: object) => {
    const get = { responses: { 200: { content: given } } };
    const made = codegenDocument({ paths: { "/kites": { get } }, components: { schemas: {} } }) as {
      paths: { "/kites": { get: { responses: { 200: { content: object } } } } };
    };
    return made.paths["/kites"].get.responses[200].content;
  };

  it("has the keys of an order and the names of a filter as an enum", () => {
    const order = parameter({ type: "string", "x-sort-keys": ["name", "-name"] });
    expect(order).to.deep.equal({ name: "kites", in: "query", schema: { type: "string", enum: ["name", "-name"] } });
    const status = parameter({ type: "string", maxLength: 50, pattern: "^.*$", "x-enum": ["up", "down"] });
    expect(status?.schema).to.deep.equal({ type: "string", enum: ["up", "down"] });
  });

  it("has a list with commas as an array that is not exploded", () => {
    const named = parameter({ type: "string", maxLength: 200, "x-enum": ["up", "down"], "x-comma-list": true });
    const items = { type: "string", enum: ["up", "down"] };
    const form = { style: "form", explode: false };
    expect(named).to.deep.equal({ name: "kites", in: "query", schema: { type: "array", items }, ...form });
    const open = parameter({ type: "string", maxLength: 200, "x-comma-list": true });
    expect(open).to.deep.equal({ name: "kites", in: "query", schema: { type: "array", items: { type: "string" } }, ...form });
  });

  it("has the example of such a list as an array", () => {
    const schema = { type: "string", "x-comma-list": true };
    const given = { paths: { "/kites": { get: { parameters: [{ name: "kites", in: "query", schema, example: "up,down" }] } } } };
    const made = codegenDocument({ ...given, components: { schemas: {} } }) as typeof given;
    expect(made.paths["/kites"].get.parameters[0]?.example).to.deep.equal(["up", "down"]);
  });

  it("leaves other parameters and their defaults as they are", () => {
    const limit = { type: "integer", minimum: 1, default: 50 };
    expect(parameter(limit)?.schema).to.deep.equal(limit);
  });

  it("has no defaults of optional properties, at any depth, and keeps those of required ones", () => {
    const flag = { type: "boolean", default: true };
    const inner = { type: "object", properties: { on: flag } };
    const { Kite } = schemas({ Kite: { type: "object", required: ["own"], properties: { own: flag, on: flag, inner } } });
    expect(Kite).to.deep.equal({
      type: "object",
      required: ["own"],
      properties: { own: flag, on: { type: "boolean" }, inner: { type: "object", properties: { on: { type: "boolean" } } } },
    });
  });

  it("changes no example, and takes no property of that name for one", () => {
    const examples = [{ type: "object", properties: { a: { default: 1 } } }];
    expect(schemas({ Kite: { type: "object", examples } })["Kite"]).to.deep.equal({ type: "object", examples });
    const properties = { default: { type: "string", default: "x" } };
    const bare = { type: "object", properties: { default: { type: "string" } } };
    expect(schemas({ Kite: { type: "object", properties } })["Kite"]).to.deep.equal(bare);
  });

  it("has a value of several types as one branch for each, and a decimal under one name", () => {
    const { Kite, Price, DecimalInput } = schemas({
      Kite: { type: ["string", "integer", "null"], maxLength: 5, description: "A kite" },
      Price: { type: ["number", "string", "null"], format: "decimal", minimum: 0, description: "A price" },
    });
    const branches = [{ type: "string", maxLength: 5 }, { type: "integer" }, { type: "null" }];
    expect(Kite).to.deep.equal({ anyOf: branches, description: "A kite" });
    const decimal = { $ref: "#/components/schemas/DecimalInput" };
    expect(Price).to.deep.equal({ anyOf: [decimal, { type: "null" }], description: "A price" });
    expect(DecimalInput?.["anyOf"]).to.deep.equal([{ type: "string" }, { type: "number" }]);
    const nullable = { type: ["string", "null"], maxLength: 5 };
    expect(schemas({ Kite: nullable })["Kite"]).to.deep.equal(nullable);
  });

  it("has files as bytes, and a text file as a text", () => {
    const schema = { type: "string", contentMediaType: "application/octet-stream" };
    const bytes = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
    expect(content({ "application/pdf": { schema } })).to.deep.equal(bytes);
    expect(content({ "image/*": { schema } })).to.deep.equal(bytes);
    expect(content({ "text/csv": { schema }, "application/zip": { schema } })).to.deep.equal(bytes);
    expect(content({ "text/html": { schema } })).to.deep.equal({ "text/html": { schema: { type: "string" } } });
    const json = { "application/json": { schema: { type: "object" } } };
    expect(content(json)).to.deep.equal(json);
  });

  it("has one schema with a discriminator for each branch of a property", () => {
    const config = { "x-discriminator": "kind", oneOf: [{ $ref: "#/components/schemas/FlyConfig" }], description: "How" };
    const made = schemas({
      FlyConfig: { title: "kite.fly", type: "object", properties: { height: { type: "integer" } } },
      Act: { type: "object", required: ["kind"], properties: { kind: { type: "string", examples: ["kite.fly"] }, config } },
    });
    expect(made["FlyConfig"]).to.not.have.property("title");
    expect(made["Act"]).to.deep.equal({
      oneOf: [{ $ref: "#/components/schemas/FlyAct" }],
      discriminator: { propertyName: "kind", mapping: { "kite.fly": "#/components/schemas/FlyAct" } },
    });
    expect(made["FlyAct"]).to.deep.equal({
      type: "object",
      required: ["kind"],
      properties: {
        kind: { type: "string", enum: ["kite.fly"] },
        config: { description: "How", $ref: "#/components/schemas/FlyConfig" },
      },
    });
  });

  it("does not change the document, and keeps its operations", () => {
    const document = documentOf(fixture());
    const before = JSON.stringify(document);
    const made = codegenDocument(document) as Made;
    expect(JSON.stringify(document)).to.equal(before);
    expect(Object.keys(made.paths)).to.deep.equal(Object.keys(document.paths));
  });
});
