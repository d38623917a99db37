import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type Action, action } from "../../core/action.ts";
import { listQuery } from "../../core/list.ts";
import {
  answer,
  choice,
  date,
  decimal,
  flag,
  input,
  instant,
  integer,
  link,
  list,
  map,
  neverNull,
  nullable,
  optional,
  page,
  Type,
  text,
  uuid,
} from "../../core/schema.ts";
import { docsHandler } from "../../services/api/docs.ts";
import { type Declaration, describeAction, openApiDocument } from "../../services/api/openapi.ts";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Record<string, unknown>;
}
interface Answer {
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, { schema: unknown; example?: unknown; examples?: Record<string, { value: { error: unknown } }> }>;
}
interface Operation {
  operationId: string;
  description: string;
  tags: string[];
  security?: object[];
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { required: boolean; content: Record<string, { schema: unknown; example?: unknown }> };
  responses: Record<string, Answer & { $ref?: string }>;
  [extension: `x-${string}`]: unknown;
}
interface Document {
  openapi: string;
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<
    "schemas" | "responses" | "parameters" | "headers" | "securitySchemes",
    Record<string, Record<string, unknown>>
  >;
}

const INFO = { version: "0.1.0", serverUrl: "/api/v1", keyPrefix: "kt" };
const handler = () => null;
const declare = (name: string, declared: Action): Declaration => describeAction({ ...declared, name });

const Status = choice(["lead", "active", "archived"], { $id: "CompanyStatus" });
const StatusActive = choice(["lead", "active", "archived"], { $id: "CompanyStatus", default: "active" });
const Tax = answer("TaxGroup", { rate: decimal(), message: text(20), link: link(100) });
const CompanyRead = answer("CompanyRead", {
  id: uuid(),
  name: text(255),
  status: Status,
  since: nullable(date()),
  tax: nullable(Tax),
  history: list(answer("Change<Status>", { at: instant(), to: nullable(Status) })),
  either: Type.Union([Tax, Type.String()]),
  by_rate: map(Tax),
});
const CompanyCreate = input("CompanyCreate", {
  name: Type.String({ minLength: 1, maxLength: 255, message: "errors.required" }),
  status: optional(StatusActive),
  website: optional(nullable(link(512))),
  colour: optional(neverNull(nullable(Type.String({ pattern: "^#[0-9a-f]{6}$" })))),
  opens: optional(Type.Unsafe<string>({ type: "string", format: "time" })),
});

const EXAMPLE = { name: "Bakkerij Jansen", status: "lead" };

const fixture = (): Declaration[] => [
  declare(
    "companies.list",
    action({
      rest: "GET /companies",
      summary: "List companies",
      permission: "companies.company.read",
      query: { ...listQuery({ name: 1 }), mine: optional(flag(false)), scope: Type.String({ description: "Which ones." }) },
      returns: page(CompanyRead),
      handler,
    }),
  ),
  declare(
    "companies.create",
    action({
      rest: "POST /companies",
      summary: "Create a company",
      description: "Numbers it as well.",
      permission: "companies.company.write",
      body: CompanyCreate,
      returns: CompanyRead,
      errors: ["conflict errors.companies.client_number_taken", "conflict"],
      example: EXAMPLE,
      handler,
    }),
  ),
  declare(
    "companies.get",
    action({
      rest: "GET /companies/:company_id",
      summary: "Read a company",
      permission: "companies.company.read",
      returns: CompanyRead,
      errors: ["not_found"],
      handler,
    }),
  ),
  declare(
    "companies.remove",
    action({
      rest: "DELETE /companies/:company_id",
      summary: "Delete a company",
      permission: "companies.company.delete",
      handler,
    }),
  ),
  declare(
    "leave.years.update",
    action({
      rest: "PATCH /leave/years/:year",
      summary: "Change a year",
      permission: "leave.request.write:own",
      also: ["leave.request.read"],
      path: { year: integer(2000, 2100) },
      body: input("YearUpdate", { closed: optional(flag()) }),
      returns: answer("Year", { year: integer(), closed: flag() }),
      errors: ["conflict"],
      handler,
    }),
  ),
  declare(
    "leave.years.reopen",
    action({
      rest: "POST /leave/years/:year/reopen",
      summary: "Reopen a year",
      permission: "leave.request.write:any",
      licenceExempt: "recording what already happened must always work",
      path: { year: integer(2000, 2100) },
      errors: ["conflict"],
      handler,
    }),
  ),
  declare(
    "auth.login",
    action({
      rest: "POST /auth/login",
      summary: "Sign in",
      open: "signing in",
      needs: "nothing",
      bodyType: "application/x-www-form-urlencoded",
      body: input("Login", { username: text(320), password: text(1024) }),
      returns: answer("LoginChallenge", { challenge: text(100) }),
      status: 200,
      otherStatuses: { 204: "Signed in." },
      errors: ["login_bad_credentials"],
      handler,
    }),
  ),
  declare(
    "auth.logout",
    action({ rest: "POST /auth/logout", summary: "Sign out", open: "own session", needs: "session", handler }),
  ),
  declare(
    "auth.logo",
    action({
      rest: "PUT /auth/logo",
      summary: "Upload a picture",
      open: "own picture",
      body: input("Picture", { file: Type.String({ format: "binary" }), title: text(20) }),
      handler,
    }),
  ),
  declare(
    "health.ready",
    action({
      rest: "GET /health/ready",
      summary: "Readiness",
      open: "probes have no credential",
      needs: "nothing",
      untenanted: true,
      returns: answer("Readiness", { status: text(20) }),
      otherStatuses: { 503: "Not ready." },
      handler,
    }),
  ),
  declare("companies.hours", action({ summary: "Figures for other actors", permission: "companies.company.read", handler })),
];

const documentOf = (declarations: Declaration[]) => openApiDocument(declarations, INFO) as Document;
const queryOf = ({ parameters = [] }: Operation) =>
  Object.fromEntries(parameters.filter((one) => one.in === "query").map((one) => [one.name, one]));

describe("openApiDocument", () => {
  let made: Document;
  let at: (route: string) => Operation;
  before(() => {
    made = documentOf(fixture());
    at = (route) => {
      const [method = "", place = ""] = route.split(" ");
      return made.paths[place]?.[method.toLowerCase()] as Operation;
    };
  });
  const refusals = (route: string, status: number): string[] => {
    const name = at(route).responses[status]?.$ref?.split("/").at(-1) ?? "";
    const content = (made.components.responses[name] as unknown as Answer).content;
    return Object.values(content?.["application/json"]?.examples ?? {}).map(
      ({ value }) => (value.error as { message: string }).message,
    );
  };

  it("is the same whatever the order of the declarations, by path and then method", () => {
    expect(JSON.stringify(documentOf(fixture().toReversed()))).to.equal(JSON.stringify(made));
    expect(Object.keys(made.paths)).to.deep.equal(Object.keys(made.paths).toSorted());
    expect(Object.keys(made.paths["/companies/{company_id}"] ?? {})).to.deep.equal(["delete", "get"]);
    expect(made.openapi).to.equal("3.1.1");
  });

  it("shows only what has a route, with id, module, permission and licence", () => {
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
    expect(made.tags.map(({ name }) => name)).to.deep.equal(["auth", "companies", "health", "leave"]);
    expect(made.tags.every(({ description }) => description)).to.equal(true);
  });

  it("keeps which query parameters are required through the broker's copy and JSON", () => {
    const published = structuredClone(JSON.parse(JSON.stringify(fixture()))) as Declaration[];
    const again = published.map((declaration) => describeAction(declaration as unknown as Action & Declaration));
    expect(again.find(({ name }) => name === "companies.list")?.requiredQuery).to.deep.equal(["scope"]);
    const query = queryOf(documentOf(again).paths["/companies"]?.["get"] as Operation);
    expect(Object.values(query).filter(({ required }) => required)).to.deep.equal([
      { name: "scope", in: "query", required: true, description: "Which ones.", schema: { type: "string" } },
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
      { name: "company_id", in: "path", required: true, schema: { type: "string", format: "uuid" } },
    ]);
    expect(at("PATCH /leave/years/{year}").parameters?.[0]?.schema).to.deep.equal({
      type: "integer",
      minimum: 2000,
      maximum: 2100,
    });
  });

  it("offers Idempotency-Key to a POST of a principal and If-Match to a write on a row", () => {
    const headers = (route: string) => (at(route).parameters ?? []).flatMap(({ $ref }) => ($ref ? [$ref.split("/").at(-1)] : []));
    expect(headers("POST /companies")).to.deep.equal(["Idempotency-Key"]);
    expect(headers("POST /auth/login")).to.deep.equal([]);
    expect(headers("DELETE /companies/{company_id}")).to.deep.equal(["If-Match"]);
    expect(headers("PATCH /leave/years/{year}")).to.deep.equal(["If-Match"]);
    expect(headers("PUT /auth/logo")).to.deep.equal([]);
    expect(made.components.parameters["If-Match"]).to.include({ in: "header", required: false });
  });

  describe("schemas", () => {
    it("stand once under their name, wherever they are nested", () => {
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

    it("lose the keywords that only steer validation, but no property of that name", () => {
      const create = made.components.schemas["CompanyCreate"]?.["properties"] as Record<string, object>;
      expect(create["name"]).to.deep.equal({ type: "string", minLength: 1, maxLength: 255 });
      expect(create["website"]).to.deep.equal({ type: ["string", "null"], maxLength: 512 });
      expect(create["colour"]).to.not.have.property("notNull");
      expect(create["opens"]).to.deep.equal({ type: "string", format: "time-local" });
      expect(made.components.schemas["TaxGroup"]?.["properties"]).to.have.all.keys("rate", "message", "link");
    });

    it("follow references to a name, and miss one that nobody declares", () => {
      const Node = Type.Cyclic({ Node: Type.Object({ id: uuid(), parts: Type.Array(Type.Ref("Node")) }) }, "Node");
      const tree = (returns: typeof Node) =>
        declare(
          "tree.get",
          action({ rest: "GET /tree", summary: "Tree", permission: "companies.company.read", returns, handler }),
        );
      const { schemas } = documentOf([tree(Node)]).components;
      expect(schemas["Node"]?.["properties"]).to.deep.include({
        parts: { type: "array", items: { $ref: "#/components/schemas/Node" } },
      });
      expect(() => documentOf([tree(Type.Ref("Nobody") as never)])).to.throw(TypeError, "'Nobody'");
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

  it("refuses two actions on one route or with one operation id", () => {
    const twin = (name: string, urlPath: string) => ({ ...(fixture()[2] as Declaration), name, urlPath });
    expect(() => documentOf([...fixture(), twin("companies.read", "/companies/:id")])).to.throw(TypeError, "GET /companies/:");
    expect(() => documentOf([...fixture(), twin("companies-get", "/elsewhere")])).to.throw(TypeError, "companiesGet");
  });

  describe("bodies", () => {
    const bodyOf = (route: string) => Object.entries(at(route).requestBody?.content ?? {});

    it("travel as declared, files as multipart", () => {
      expect(bodyOf("POST /companies").map(([type]) => type)).to.deep.equal(["application/json"]);
      expect(bodyOf("POST /auth/login").map(([type]) => type)).to.deep.equal(["application/x-www-form-urlencoded"]);
      expect(bodyOf("PUT /auth/logo").map(([type]) => type)).to.deep.equal(["multipart/form-data"]);
      expect(at("POST /companies").requestBody?.required).to.equal(true);
      expect(at("POST /auth/logout")).to.not.have.property("requestBody");
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

  describe("answers", () => {
    it("have the success status, and further ones", () => {
      const statuses = (route: string) => Object.keys(at(route).responses).filter((status) => status < "300");
      expect(statuses("GET /companies")).to.deep.equal(["200"]);
      expect(statuses("POST /companies")).to.deep.equal(["201"]);
      expect(statuses("DELETE /companies/{company_id}")).to.deep.equal(["204"]);
      expect(statuses("POST /auth/login")).to.deep.equal(["200", "204"]);
      expect(at("POST /auth/login").responses["204"]).to.not.have.property("content");
      expect(at("GET /health/ready").responses["503"])
        .to.have.nested.property("content.application/json.schema.$ref")
        .that.contains("Readiness");
    });

    it("name their headers: ETag on the read of a row, the budget wherever a key counts", () => {
      const headers = (route: string, status: number) => Object.keys(at(route).responses[status]?.headers ?? {});
      const budget = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
      expect(headers("GET /companies", 200)).to.deep.equal(["X-Request-Id", ...budget]);
      expect(headers("GET /companies/{company_id}", 200)).to.deep.equal(["X-Request-Id", "ETag", ...budget]);
      expect(headers("POST /companies", 201)).to.deep.equal(["X-Request-Id", "Idempotent-Replayed", ...budget]);
      expect(headers("GET /health/ready", 200)).to.deep.equal(["X-Request-Id"]);
      expect(Object.keys((made.components.responses["RateLimited"] as unknown as Answer).headers)).to.include("Retry-After");
    });

    it("list the refusals of their kind", () => {
      const refused = (route: string) =>
        Object.keys(at(route).responses)
          .filter((status) => status >= "400")
          .join(" ");
      expect(refused("GET /companies")).to.equal("400 401 403 422 429 503");
      expect(refused("GET /companies/{company_id}")).to.equal("401 403 404 422 429 503");
      expect(refused("POST /companies")).to.equal("401 403 409 413 415 422 429 503");
      expect(refused("DELETE /companies/{company_id}")).to.equal("401 403 404 412 422 429 503");
      expect(refused("PATCH /leave/years/{year}")).to.equal("401 402 403 404 409 412 413 415 422 429 503");
      expect(refused("POST /leave/years/{year}/reopen")).to.equal("401 403 404 409 422 429 503");
      expect(refused("POST /auth/login")).to.equal("400 413 415 422 429 503");
      expect(refused("POST /auth/logout")).to.equal("401 403 409 429 503");
      expect(refused("GET /health/ready")).to.equal("503");
    });

    it("show an example per code, the usual ones and those of the action", () => {
      expect(refusals("GET /companies", 401)).to.deep.equal(["errors.unauthorized"]);
      expect(refusals("PATCH /leave/years/{year}", 402)).to.deep.equal(["errors.license_expired", "errors.plan_inactive"]);
      expect(refusals("POST /companies", 409)).to.deep.equal([
        "errors.idempotency_conflict",
        "errors.idempotency_in_progress",
        "errors.conflict",
        "errors.companies.client_number_taken",
      ]);
      expect(refusals("PATCH /leave/years/{year}", 409)).to.deep.equal(["errors.conflict"]);
      expect(refusals("POST /leave/years/{year}/reopen", 409)).to.deep.equal([
        "errors.idempotency_conflict",
        "errors.idempotency_in_progress",
        "errors.conflict",
      ]);
      expect(at("GET /companies/{company_id}").responses["404"]?.$ref).to.equal("#/components/responses/NotFound");
      expect(refusals("GET /companies/{company_id}", 404)).to.deep.equal(["errors.not_found", "errors.unknown_host"]);
      expect(refusals("POST /auth/login", 400)).to.deep.equal(["errors.validation"]);
      const { content } = made.components.responses["Invalid"] as unknown as Answer;
      expect(content?.["application/json"]).to.deep.equal({
        schema: { $ref: "#/components/schemas/Error" },
        examples: {
          validation: {
            value: { error: { code: "validation", message: "errors.validation", fields: { name: "errors.required" } } },
          },
        },
      });
    });

    it("refuse a code that is not in the catalogue", () => {
      const odd = { ...(fixture()[0] as Declaration), errors: ["no_such_code"] };
      expect(() => documentOf([odd])).to.throw(TypeError, "'no_such_code'");
    });
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

  it("passes redocly's lint without an error", async function () {
    this.timeout(60_000);
    const root = fileURLToPath(new URL("../../", import.meta.url));
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

describe("docsHandler", () => {
  let server: Server;
  let base: string;
  before(async () => {
    const docs = docsHandler({ document: () => '{"openapi":"3.1.1"}', title: "Kantoor <API>" });
    server = createServer(async (request, response) => {
      if (!(await docs((request.url ?? "").split("?")[0] as string, request, response))) response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const get = (place: string, init?: RequestInit) => fetch(base + place, init);
  /** Status of a request target exactly as given; fetch would tidy it. */
  const rawStatus = (target: string) =>
    new Promise<number>((done, failed) => {
      const sent = httpRequest(`${base}/`, { path: target }, (answered) => done(answered.resume().statusCode as number));
      sent.on("error", failed).end();
    });
  const files = (html: string) =>
    [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => file as string).filter((file) => file !== "data:,");

  for (const place of ["/api/docs", "/api/redoc"])
    it(`serves ${place} with a strict policy, unlisted and uncached`, async () => {
      const answered = await get(place);
      const policy = answered.headers.get("content-security-policy") ?? "";
      const html = await answered.text();
      expect(answered.status).to.equal(200);
      expect(answered.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      expect(answered.headers.get("cache-control")).to.equal("no-store");
      expect(answered.headers.get("x-robots-tag")).to.equal("noindex, nofollow");
      expect(answered.headers.get("x-content-type-options")).to.equal("nosniff");
      expect(answered.headers.get("referrer-policy")).to.equal("no-referrer");
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ])
        expect(policy.split("; ")).to.include(rule);
      expect(policy).to.not.match(/unsafe|https?:|\*/);
      expect(html)
        .to.contain("Kantoor &#60;API&#62;")
        .and.to.not.match(/<script(?![^>]*src=)|<style|\son\w+=/);
    });

  it("serves every file of its pages from here, with nothing of its own that points elsewhere", async () => {
    for (const place of ["/api/docs", "/api/redoc"]) {
      const html = await (await get(place)).text();
      expect(html).to.not.match(/https?:|"\/\//);
      expect(files(html)).to.have.length.above(2);
      for (const file of files(html)) {
        expect(file).to.match(new RegExp(`^${place}/assets/[a-z.-]+$`));
        const answered = await get(file);
        expect(answered.status, file).to.equal(200);
        expect(answered.headers.get("content-type"), file).to.match(file.endsWith(".js") ? /^text\/javascript/ : /^text\/css/);
        expect(answered.headers.get("x-content-type-options")).to.equal("nosniff");
        const own = /start\.js|page\.css/.test(file);
        if (own) expect(await answered.text()).to.not.match(/https?:|"\/\//);
        else expect(await answered.text()).to.not.match(/cdn\.redoc\.ly|fonts\.googleapis\.com/);
      }
    }
  });

  it("lets an unchanged file be kept", async () => {
    const first = await get("/api/redoc/assets/start.js");
    const again = await get("/api/redoc/assets/start.js", { headers: { "If-None-Match": first.headers.get("etag") ?? "" } });
    expect(again.status).to.equal(304);
    expect(await again.text()).to.equal("");
    expect((await get("/api/redoc/assets/start.js", { headers: { "If-None-Match": '"other"' } })).status).to.equal(200);
  });

  it("serves the document as it is", async () => {
    const answered = await get("/api/openapi.json");
    expect(await answered.text()).to.equal('{"openapi":"3.1.1"}');
    expect(answered.headers.get("content-type")).to.match(/^application\/json/);
    expect(answered.headers.get("cache-control")).to.equal("no-store");
    expect(answered.headers.get("x-robots-tag")).to.equal("noindex, nofollow");
  });

  it("knows a trailing slash, HEAD, and no method that changes things", async () => {
    expect((await get("/api/docs/")).status).to.equal(200);
    const head = await get("/api/openapi.json", { method: "HEAD" });
    expect(head.status).to.equal(200);
    expect(head.headers.get("content-length")).to.equal("19");
    const posted = await get("/api/docs", { method: "POST" });
    expect(posted.status).to.equal(405);
    expect(posted.headers.get("allow")).to.equal("GET, HEAD");
    expect(await posted.json()).to.deep.equal({ error: { code: "method_not_allowed", message: "errors.server" } });
  });

  it("leaves every other path alone", async () => {
    const targets = [
      "/docs",
      "/redoc",
      "/openapi.json",
      "/api/docs/assets/",
      "/api/docs/assets/swagger-ui.js",
      "/api/docs/assets/../../../package.json",
      "/api/docs/assets/%2e%2e/%2e%2e/package.json",
      "/api/docs/assets/..%2fpackage.json",
      "/api/redoc/assets/redoc.standalone.js/../../package.json",
      "/api/redoc/assets/redoc.standalone.js%00.css",
      "/__proto__",
    ];
    for (const target of targets) expect(await rawStatus(target), target).to.equal(404);
  });

  it("allows the styles of the Redoc version they were taken from", async () => {
    const { version } = JSON.parse(await readFile(new URL(import.meta.resolve("redoc/package.json")), "utf8")) as {
      version: string;
    };
    expect(version, "look at /api/redoc in a browser: its console names the hashes REDOC_STYLES needs").to.equal("2.5.4");
  });
});
