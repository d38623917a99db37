import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { Action } from "../../../core/declare/action.ts";
import { demoId } from "../../../core/values/demo-ids.ts";
import { type Declaration, describeAction } from "../../../services/api/openapi/declaration.ts";
import { documentOf, fixture, type Operation, operationOf } from "../../support/openapi.ts";

const queryOf = ({ parameters = [] }: Operation) =>
  Object.fromEntries(parameters.filter((one) => one.in === "query").map((one) => [one.name, one]));

describe("openApiDocument", () => {
  const made = documentOf(fixture());
  const at = (route: string) => operationOf(made, route);

  it("is the same for any order of the declarations, by path and then method", () => {
    expect(JSON.stringify(documentOf(fixture().toReversed()))).to.equal(JSON.stringify(made));
    expect(Object.keys(made.paths)).to.deep.equal(Object.keys(made.paths).toSorted());
    expect(Object.keys(made.paths["/companies/{company_id}"] ?? {})).to.deep.equal(["delete", "get"]);
    expect(made.openapi).to.equal("3.1.1");
  });

  it("shows only actions with a route, with id, module, permission and licence", () => {
    expect(Object.values(made.paths).flatMap((item) => Object.keys(item))).to.have.length(10);
    expect(at("GET /companies").operationId).to.equal("companiesList");
    expect(at("PATCH /leave/years/{year}")).to.include({
      operationId: "leaveYearsUpdate",
      "x-permission": "leave.request.write:own",
      "x-licence": "leave",
      "x-module": "leave",
    });
    expect(at("PATCH /leave/years/{year}").description).to.contain("`leave.request.write:own` and `leave.request.read`");
    expect(at("POST /auth/logout")).to.include({ "x-permission": null, "x-licence": null });
    expect(at("GET /companies")["x-licence"]).to.equal(null);
    expect(made.tags.map(({ name }) => name)).to.deep.equal(["companies", "leave", "auth", "health"]);
    expect(made.tags.every(({ description }) => description)).to.equal(true);
  });

  it("keeps which query parameters are required through the broker's copy and JSON", () => {
    const published = structuredClone(JSON.parse(JSON.stringify(fixture()))) as Declaration[];
    const again = published.map((declaration) => describeAction(declaration as unknown as Action & Declaration));
    expect(again.find(({ name }) => name === "companies.list")?.requiredQuery).to.deep.equal(["scope"]);
    const query = queryOf(documentOf(again).paths["/companies"]?.["get"] as Operation);
    expect(Object.values(query).filter(({ required }) => required)).to.deep.equal([
      {
        name: "scope",
        in: "query",
        required: true,
        description: "Which ones.",
        schema: { type: "string" },
        example: "companies.company.read",
      },
    ]);
    expect(query["limit"]).to.deep.include({ schema: { type: "integer", minimum: 1, maximum: 200, default: 50 } });
    expect(query["mine"]?.schema).to.deep.equal({ type: "boolean", default: false });
  });

  it("refuses a declaration that does not say which query parameters are required", () => {
    const { requiredQuery, ...silent } = fixture()[0] as Declaration;
    expect(() => documentOf([silent as Declaration])).to.throw(TypeError, "companies.list");
  });

  it("takes a path parameter for a UUID unless it is declared", () => {
    expect(at("GET /companies/{company_id}").parameters).to.deep.equal([
      {
        ...{ name: "company_id", in: "path", required: true, description: "The client" },
        ...{ schema: { type: "string", format: "uuid" }, example: demoId("companies") },
      },
    ]);
    expect(at("PATCH /leave/years/{year}").parameters?.[0]?.schema).to.deep.equal({
      type: "integer",
      minimum: 2000,
      maximum: 2100,
    });
  });

  it("offers Idempotency-Key to a write of a principal and If-Match to a write on a row", () => {
    const headers = (route: string) => (at(route).parameters ?? []).flatMap(({ $ref }) => ($ref ? [$ref.split("/").at(-1)] : []));
    expect(headers("POST /companies")).to.deep.equal(["Idempotency-Key"]);
    expect(headers("POST /auth/login")).to.deep.equal([]);
    expect(headers("DELETE /companies/{company_id}")).to.deep.equal(["Idempotency-Key", "If-Match"]);
    expect(headers("PATCH /leave/years/{year}")).to.deep.equal(["Idempotency-Key", "If-Match"]);
    expect(headers("PUT /auth/logo")).to.deep.equal(["Idempotency-Key"]);
    expect(made.components.parameters["If-Match"]).to.include({ in: "header", required: false });
  });

  it("refuses two actions on one route or with one operation id", () => {
    const twin = (name: string, urlPath: string) => ({ ...(fixture()[2] as Declaration), name, urlPath });
    expect(() => documentOf([...fixture(), twin("companies.read", "/companies/:id")])).to.throw(TypeError, "GET /companies/:");
    expect(() => documentOf([...fixture(), twin("companies.one", "/companies/:company_id/")])).to.throw(
      TypeError,
      "companiesGet",
    );
  });

  it("says which credential an operation takes", () => {
    expect(at("GET /companies")).to.not.have.property("security");
    expect(at("POST /auth/login").security).to.deep.equal([]);
    expect(at("POST /auth/logout").security).to.deep.equal([{ session: [] }]);
    expect(made.components.securitySchemes).to.have.all.keys("apiKey", "bearerKey", "session");
  });

  it("takes nothing of the declarations along that would change them or the next document", () => {
    const declarations = fixture();
    const before = JSON.stringify(declarations);
    expect(JSON.stringify(documentOf(declarations))).to.equal(JSON.stringify(documentOf(declarations)));
    expect(JSON.stringify(declarations)).to.equal(before);
  });

  it("passes redocly's lint without an error", async () => {
    const root = fileURLToPath(new URL("../../../", import.meta.url));
    const folder = await mkdtemp(path.join(tmpdir(), "kantoor-openapi-"));
    try {
      const file = path.join(folder, "openapi.json");
      await writeFile(file, JSON.stringify(made));
      const cli = path.join(root, "node_modules/@redocly/cli/bin/cli.js");
      const given = [cli, "lint", file, "--config", path.join(root, "redocly.yaml"), "--format", "json"];
      const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      const report = await new Promise<string>((done) => execFile(process.execPath, given, { env }, (_, stdout) => done(stdout)));
      const { totals, problems } = JSON.parse(report) as {
        totals: { errors: number; warnings: number };
        problems: { message: string }[];
      };
      expect(totals, problems.map(({ message }) => message).join("\n")).to.include({ errors: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
