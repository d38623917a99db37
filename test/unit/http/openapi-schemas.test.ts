import { expect } from "chai";
import { Type as TypeBox } from "typebox";
import { action } from "../../../core/declare/action.ts";
import { answer, input, names, nullable, optional, Type, text, time, uuid } from "../../../core/schema/schema.ts";
import { CompanyRead, declare, documentOf, EXAMPLE, fixture, handler, operationOf } from "../../support/openapi.ts";

describe("schemas of the document", () => {
  const made = documentOf(fixture());
  const at = (route: string) => operationOf(made, route);

  it("appear once under their name, at any nesting", () => {
    const { schemas } = made.components;
    const properties = schemas["CompanyRead"]?.["properties"] as Record<string, unknown>;
    const tax = { $ref: "#/components/schemas/TaxGroup" };
    expect(schemas["CompanyRead"]).to.not.have.property("$id");
    expect(properties["status"]).to.deep.equal({ $ref: "#/components/schemas/CompanyStatus" });
    expect(properties["tax"]).to.deep.equal({ anyOf: [tax, { type: "null" }] });
    expect(properties["history"]).to.deep.equal({ type: "array", items: { $ref: "#/components/schemas/Change_Status_" } });
    expect(properties["either"]).to.deep.equal({ anyOf: [tax, { type: "string" }] });
    expect(properties["by_rate"]).to.deep.equal({ type: "object", additionalProperties: tax });
    expect(schemas["CompanyStatus"]).to.deep.equal({ type: "string", enum: ["lead", "active", "archived"] });
    expect(Object.keys(schemas))
      .to.include("Page_CompanyRead_")
      .and.to.satisfy((names: string[]) => names.every((name) => /^[A-Za-z0-9._-]+$/.test(name)));
    expect(at("GET /companies").responses["200"]?.content?.["application/json"]?.schema).to.deep.equal({
      $ref: "#/components/schemas/Page_CompanyRead_",
    });
  });

  it("keep a default at the place that uses them", () => {
    const properties = made.components.schemas["CompanyCreate"]?.["properties"] as Record<string, unknown>;
    expect(properties["status"]).to.deep.equal({ $ref: "#/components/schemas/CompanyStatus", default: "active" });
  });

  it("are described where they are used, and by themselves where no property uses them", () => {
    const Colour = Type.Unsafe<string>({ $id: "Colour", type: "string" });
    const Wall = answer(
      "Wall",
      { paint: Colour, trim: Colour, spare: Type.Array(Colour) },
      { paint: "Of the wall", trim: "Of the edge" },
    );
    const wall = action({ rest: "GET /wall", summary: "Wall", permission: "companies.company.read", returns: Wall, handler });
    const { schemas } = documentOf([declare("wall.get", wall)]).components;
    const $ref = "#/components/schemas/Colour";
    expect(schemas["Wall"]?.["properties"]).to.deep.equal({
      paint: { $ref, description: "Of the wall" },
      trim: { $ref, description: "Of the edge" },
      spare: { type: "array", items: { $ref } },
    });
    expect(schemas["Colour"]).to.deep.equal({ type: "string" });
  });

  it("lose the keywords that only steer validation, but no property of that name", () => {
    const create = made.components.schemas["CompanyCreate"]?.["properties"] as Record<string, object>;
    const { pattern } = text(1) as unknown as { pattern: string };
    expect(create["name"]).to.deep.equal({ type: "string", minLength: 1, maxLength: 255 });
    expect(create["website"]).to.deep.equal({ type: ["string", "null"], maxLength: 512, pattern });
    expect(create["colour"]).to.not.have.property("notNull");
    expect(create["opens"]).to.deep.equal({ type: "string", format: "time-local" });
    expect(made.components.schemas["TaxGroup"]?.["properties"]).to.have.all.keys("rate", "message", "link");
  });

  it("follow references to a name, and miss an undeclared one", () => {
    const Node = TypeBox.Cyclic({ Node: TypeBox.Object({ id: uuid(), parts: TypeBox.Array(TypeBox.Ref("Node")) }) }, "Node");
    const tree = (returns: typeof Node) =>
      declare("tree.get", action({ rest: "GET /tree", summary: "Tree", permission: "companies.company.read", returns, handler }));
    const { schemas } = documentOf([tree(Node)]).components;
    expect(schemas["Node"]?.["properties"]).to.deep.include({
      parts: { type: "array", items: { $ref: "#/components/schemas/Node" } },
    });
    expect(() => documentOf([tree(TypeBox.Ref("Nobody") as never)])).to.throw(TypeError, "'Nobody'");
  });

  it("may not share a name", () => {
    const other = declare(
      "other.get",
      action({
        rest: "GET /other",
        summary: "Other",
        permission: "companies.company.read",
        returns: answer("TaxGroup", { rate: text(5) }),
        handler,
      }),
    );
    expect(() => documentOf([...fixture(), other])).to.throw(TypeError, "two different schemas are named 'TaxGroup'");
  });
});

describe("bodies of the document", () => {
  const made = documentOf(fixture());
  const at = (route: string) => operationOf(made, route);

  const bodyOf = (route: string) => Object.entries(at(route).requestBody?.content ?? {});

  it("travel as declared, files as multipart", () => {
    expect(bodyOf("POST /companies").map(([type]) => type)).to.deep.equal(["application/json"]);
    expect(bodyOf("POST /auth/login").map(([type]) => type)).to.deep.equal(["application/x-www-form-urlencoded"]);
    expect(bodyOf("PUT /auth/logo").map(([type]) => type)).to.deep.equal(["multipart/form-data"]);
    expect(at("POST /companies").requestBody?.required).to.equal(true);
    expect(at("POST /auth/logout")).to.not.have.property("requestBody");
  });

  it("show what can be sent: texts by language, and no record but those a caller has to name", () => {
    const assignee = input("Assignee", { user_id: uuid() });
    const Crate = input("Crate", {
      shelf_id: uuid(),
      company_id: optional(nullable(uuid())),
      label_ids: optional(Type.Array(uuid())),
      assignees: optional(nullable(Type.Array(assignee))),
      name_i18n: names(),
      opens: optional(time()),
    });
    const make = action({ rest: "POST /crates", summary: "Crate", permission: "companies.company.write", body: Crate, handler });
    const operation = operationOf(documentOf([declare("crates.create", make)]), "POST /crates");
    const example = operation.requestBody?.content["application/json"]?.example as Record<string, unknown>;
    expect(example).to.have.all.keys("shelf_id", "name_i18n", "opens");
    expect(example["name_i18n"]).to.have.all.keys("nl", "en");
  });

  it("have the declared example, or one that follows from the schema", () => {
    expect(bodyOf("POST /companies")[0]?.[1].example).to.deep.equal(EXAMPLE);
    expect(bodyOf("PATCH /leave/years/{year}")[0]?.[1].example).to.deep.equal({ closed: true });
    const shown = at("GET /companies").responses["200"]?.content?.["application/json"]?.example as {
      items: Record<string, unknown>[];
    };
    expect(shown).to.include({ total: 1, limit: 50, offset: 0 });
    expect(shown.items[0]).to.include({ status: "lead" }).and.to.have.all.keys(Object.keys(CompanyRead.properties));
    expect(shown.items[0]?.["tax"]).to.deep.include({ rate: "125.00" });
  });
});
