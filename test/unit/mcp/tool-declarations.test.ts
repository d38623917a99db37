import { expect } from "chai";
import { action, declared as actionOf } from "../../../core/declare/action.ts";
import type { ToolDeclaration, ToolDefault } from "../../../core/declare/tool.ts";
import { field, flag, input, integer, json, label, optional, shownAs, text, uuid } from "../../../core/schema/schema.ts";
import { askedOf } from "../../../services/api/mcp/arguments.ts";
import { withDefaults } from "../../../services/api/mcp/defaults.ts";
import { leftOut, type Operation, operationsOf } from "../../../services/api/mcp/operations.ts";
import { argumentsSchema, plainSchema, toolSchema } from "../../../services/api/mcp/schemas.ts";
import { describeAction } from "../../../services/api/openapi/declaration.ts";
import type { Route } from "../../../services/api/routes.ts";

const base = { summary: "Do it", permission: "companies.company.write", handler: () => undefined };
const declared = (more: object) => describeAction({ ...actionOf({ ...base, ...more }), name: "boxes.do" });
const boxes = {
  rest: "PATCH /boxes/:box_id",
  query: {
    dry: optional(flag(false)),
    tags: optional({ type: "array", items: { type: "string" } } as never),
    limit: integer(1, 9),
  },
  body: input("BoxUpdate", { name: label(20), note: optional(text(90, { example: "x" })), company_id: optional(uuid()) }),
};
const operation = (more: object = boxes) => {
  const declaration = declared(more);
  return { route: { declaration, lists: ["tags"] } } as unknown as Operation;
};

describe("a tool's parameters", () => {
  it("is JSON Schema, with nothing of our own in it", () => {
    const schema = {
      $id: "X",
      type: "object",
      properties: { example: { type: "string", notNull: true, "x-usage": "y", example: 1 } },
    };
    expect(plainSchema(schema)).to.deep.equal({ type: "object", properties: { example: { type: "string" } } });
    expect(plainSchema({ type: "string", format: "time" })).to.deep.equal({ type: "string" });
    expect(plainSchema({ default: { message: 1 }, enum: [null, "link"] })).to.deep.equal({
      default: { message: 1 },
      enum: [null, "link"],
    });
  });

  it("is what a value is shown as, and a part that contains itself once", () => {
    const tree = { $ref: "Tree", $defs: { Tree: { type: "object", properties: { below: { $ref: "Tree" } } } } };
    const body = input("Boxed", { tree: optional(field(shownAs(json({ default: {} }), tree), "The tree")) });
    const { properties } = argumentsSchema(declared({ rest: "POST /boxes", body }));
    const below = { type: "object", description: "As the whole that it is in" };
    const shown = { type: "object", properties: { below }, default: {}, description: "The tree" };
    expect(properties["body"]).to.deep.include({ properties: { tree: shown } });
  });

  it("is parameters by name, the body as one, and what HTTP has as headers", () => {
    const { properties, required, additionalProperties } = argumentsSchema(declared(boxes));
    expect(Object.keys(properties)).to.deep.equal(["box_id", "dry", "tags", "limit", "body", "idempotency_key", "if_match"]);
    expect([required, additionalProperties]).to.deep.equal([["box_id", "limit", "body"], false]);
    expect(properties["limit"]).to.include({ minimum: 1, maximum: 9, description: "How many rows at most." });
    const post = argumentsSchema(declared({ rest: "POST /boxes", body: boxes.body }));
    expect(Object.keys(post.properties)).to.deep.equal(["body", "idempotency_key"]);
    expect(Object.keys(argumentsSchema(declared({ rest: "GET /boxes" })).properties)).to.deep.equal([]);
  });

  it("is parameters and fields side by side for a tool of its own", () => {
    const tool: ToolDeclaration = {
      name: "do_it",
      description: "Does it.",
      sets: { dry: "true" },
      takes: ["box_id", "name", "note"],
    };
    const { properties, required } = toolSchema(declared({ ...boxes, tool }), tool);
    expect(Object.keys(properties)).to.deep.equal(["box_id", "name", "note", "idempotency_key", "if_match"]);
    expect(required).to.deep.equal(["box_id", "name"]);
  });
});

describe("a tool of its own", () => {
  const tool = { name: "do_it", description: "Does it.", takes: ["box_id", "name"] };
  const wrong: [string, object, RegExp][] = [
    ["by a name that is none", { ...tool, name: "Do it" }, /with the invalid name 'Do it'/],
    ["that takes what the action does not", { ...tool, takes: ["box_id", "colour"] }, /with the parameter 'colour'/],
    ["that sets what the action does not take", { ...tool, sets: { colour: "red" } }, /with the parameter 'colour'/],
    ["that sets and takes the same", { ...tool, sets: { name: "x" } }, /sets 'name' and accepts it too/],
    ["with a default for what it does not accept", { ...tool, defaults: { note: "this_year" } }, /a default for 'note'/],
    ["without what its path needs", { ...tool, takes: ["name"] }, /without 'box_id'/],
  ];
  for (const [what, declaration, message] of wrong)
    it(`${what} does not start`, () => expect(() => declared({ ...boxes, tool: declaration })).to.throw(TypeError, message));

  it("with a parameter and a field of one name does not start", () => {
    const query = { name: optional(text(9)) };
    expect(() => declared({ ...boxes, query, tool })).to.throw(TypeError, /'name', which is both a parameter and a field/);
  });

  it("without a route does not start", () => {
    expect(() => declared({ tool: { ...tool, takes: [] } })).to.throw(TypeError, /without a route/);
  });
});

describe("arguments of a tool as a request", () => {
  const asked = (given: Record<string, unknown>, sets?: Record<string, string>) => askedOf(operation(), given, sets);

  it("are path, query and body", () => {
    const { found, path, query, body, headers } = asked({
      box_id: "a/b",
      dry: true,
      limit: 3,
      tags: ["x", "y"],
      body: { name: "n" },
    });
    expect([found.parameters, path]).to.deep.equal([{ box_id: "a/b" }, "/api/v1/boxes/a%2Fb"]);
    expect(query.toString()).to.equal("dry=true&tags=x&tags=y&limit=3");
    expect([body, headers]).to.deep.equal([{ name: "n" }, {}]);
  });

  it("next to each other are fields of the body, unless they are parameters", () => {
    expect(asked({ box_id: "1", limit: 2, name: "n", company_id: "c", body: { note: "m" } }).body).to.deep.equal({
      name: "n",
      company_id: "c",
      note: "m",
    });
  });

  it("missing or of the wrong kind are left for the action to refuse", () => {
    const { found, path, query, body } = asked({ limit: { a: 1 }, dry: null, body: 7 });
    expect([found.parameters, path, query.toString(), body]).to.deep.equal([{}, "/api/v1/boxes/", "limit=%7B%22a%22%3A1%7D", 7]);
    expect(asked({ box_id: "\ud800", limit: 1 }).path).to.equal("/api/v1/boxes/%EF%BF%BD");
  });

  it("that HTTP has as headers become these", () => {
    expect(asked({ idempotency_key: "k", if_match: '"3"' }).headers).to.deep.equal({ "idempotency-key": "k", "if-match": '"3"' });
    for (const value of ["", "a\u0000b", "a\nb", "é", "k".repeat(256), 7, {}])
      expect(() => asked({ idempotency_key: value }), JSON.stringify(value)).to.throw("errors.validation");
  });

  it("that a tool sets itself are not the caller's to say", () => {
    expect(asked({ limit: 9, dry: false }, { dry: "true" }).query.toString()).to.equal("dry=true&limit=9");
  });
});

describe("defaults of a tool", () => {
  const at = { now: new Date("2026-11-30T10:20:30.500Z"), today: "2027-01-01" };
  const cases: [what: string, defaults: Record<string, ToolDefault>, given: Record<string, unknown>, complete: object][] = [
    ["the year of the organisation's date", { year: "this_year" }, {}, { year: 2027 }],
    ["nothing for what was sent", { year: "this_year" }, { year: 2020 }, { year: 2020 }],
    ["the year for null, which clients send for nothing", { year: "this_year" }, { year: null }, { year: 2027 }],
    ["a start so that minutes end now", { at: "ends_now" }, { minutes: 90 }, { minutes: 90, at: "2026-11-30T08:50:00.000Z" }],
    ["no start without minutes", { at: "ends_now" }, { task_id: "x" }, { task_id: "x" }],
    ["no start for minutes that are none", { at: "ends_now" }, { minutes: "90" }, { minutes: "90" }],
    ["no start beside an end", { at: "ends_now" }, { minutes: 90, ended_at: "y" }, { minutes: 90, ended_at: "y" }],
  ];
  for (const [what, defaults, given, complete] of cases)
    it(`are ${what}`, () => expect(withDefaults(defaults, given, at)).to.deep.equal(complete));
});

describe("actions other than tools", () => {
  it("are those whose permission this node does not know, for a newer node has brought them", () => {
    const [known, unknown] = ["companies.company.read", "kites.kite.fly"].map((permission, at) => ({
      ...{ available: true, lists: [], upload: null, admit: null },
      declaration: describeAction({ ...action({ ...base, permission, rest: `GET /boxes/${at}` }), name: `boxes.number${at}` }),
    }));
    expect([...operationsOf([unknown, known] as Route[]).keys()]).to.deep.equal(["boxes0Get"]);
  });

  const cases: [object, RegExp | null][] = [
    [{ rest: "GET /boxes" }, null],
    [{ rest: "GET /boxes", permission: undefined, open: "why" }, null],
    [{}, /not part/],
    [{ rest: "GET /boxes", permission: undefined, open: "why", needs: "nothing" }, /keys/],
    [{ rest: "GET /boxes", permission: undefined, open: "why", needs: "session" }, /keys/],
    [{ rest: "GET /boxes", permission: undefined, open: "why", needs: "administrator" }, /keys/],
    [{ rest: "GET /boxes", permission: undefined, open: "why", needs: "everything" }, /keys/],
    [{ rest: "GET /boxes", sessionOnly: true }, /keys/],
    [{ rest: "GET /boxes", returnsFile: "image/*" }, /a file/],
    [{ rest: "GET /boxes", streams: { done: { type: "object" } } }, /stream/],
    [{ rest: "POST /boxes", oneTime: true }, /secret/],
    [{ rest: "POST /boxes", body: boxes.body, bodyType: "application/x-www-form-urlencoded" }, /form/],
  ];
  for (const [more, reason] of cases)
    it(`are marked by their declaration: ${JSON.stringify(more).slice(0, 90)}`, () => {
      const said = leftOut(declared(more));
      if (reason === null) expect(said).to.equal(null);
      else expect(said).to.match(reason);
    });
});
