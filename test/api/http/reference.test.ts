import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { pathParameters } from "../../../core/declare/action.ts";
import { compileBody } from "../../../core/schema/validation.ts";
import { liveActions } from "../../../mixins/live-registry.ts";
import { createKey } from "../../../operator/organisations.ts";
import { send } from "../../support/http.ts";
import { sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { inSession, signIn } from "../../support/sign-in.ts";

const ROUTES = [
  "//api/guide",
  "//api/guide/rules/money",
  "//api/reference",
  "//api/docs",
  "//api/redoc",
  "//api/openapi.json",
  "//api/docs/errors",
  "//api/docs/errors/conflict",
];
const ROOT = path.join(import.meta.dirname, "../../..");
const PASSWORD = "correct horse battery";

/** Every scalar of a body with its location. */
const valuesIn = (value: unknown, at = ""): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, part]) => valuesIn(part, `${at}/${key}`))
    : [`${at} ${String(value)}`];

describe("the API reference", () => {
  describe("by default", () => {
    let service: TestService;
    let tenant: Tenant;
    before(async () => {
      service = await sharedService();
      tenant = await service.tenant();
    });
    after(() => service.stop());

    for (const route of ROUTES)
      it(`${route.slice(1)} is open to anyone who reaches the host, never stored and never indexed`, async () => {
        for (const call of [
          { host: tenant.host },
          { host: tenant.host, key: "nonsense" },
          { host: tenant.host, cookie: "kantoor_session=x" },
        ]) {
          const { status, headers } = await service.call("GET", route, call);
          expect(status).to.equal(200);
          expect(headers["cache-control"]).to.equal("no-store");
          expect(headers["x-robots-tag"]).to.equal("noindex, nofollow");
        }
      });

    it("does not describe itself: its routes are not part of the API", async () => {
      const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host });
      const paths = Object.keys(body.paths);
      expect(paths).to.include("/companies");
      expect(paths.filter((path) => /docs|redoc|^\/reference|openapi/.test(path))).to.deep.equal([]);
    });

    it("begins each area with its purpose and the place of its rules, in the order of a working day", async () => {
      const { tags, "x-tagGroups": groups } = (await service.call("GET", "//api/openapi.json", { host: tenant.host })).body as {
        tags: { name: string; description: string; "x-displayName": string }[];
        "x-tagGroups": { name: string; tags: string[] }[];
      };
      for (const { name, description } of tags) {
        expect(description, name).to.match(/^[A-Z].*\. Rules: `docs\/rules\/[a-z-]+\.md`, chapter \d+\.$/);
        const [, file = "", heading = ""] = /`(docs\/rules\/[a-z-]+\.md)`, chapter (\d+)/.exec(description) ?? [];
        expect(readFileSync(path.join(ROOT, file), "utf8"), name).to.match(new RegExp(`^## ${heading}\\. `, "m"));
      }
      // A service account has no role: docs/connect.md says the same.
      expect(tags.find(({ name }) => name === "service-accounts")?.description).to.contain("within the scopes of their keys");
      expect(groups.flatMap((group) => group.tags)).to.deep.equal(tags.map(({ name }) => name));
      for (const { name, tags: inside } of groups) expect(inside.length, name).to.be.within(1, 12);
      expect(new Set(tags.map((tag) => tag["x-displayName"])).size).to.equal(tags.length);
      const day = ["companies", "hr", "projects", "tasks", "time", "invoicing", "domains", "automation", "auth", "system"];
      const names = tags.map(({ name }) => name);
      expect(names.filter((name) => day.includes(name))).to.deep.equal(day);
      expect(new Set(names).size).to.equal(names.length).and.to.be.greaterThan(40);
    });

    it("names 422 wherever an Idempotency-Key may be wrong, and 404 for a role to copy that is not there", async () => {
      const { paths } = (await service.call("GET", "//api/openapi.json", { host: tenant.host })).body;
      const operations = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods as Record<string, { parameters?: { $ref?: string }[]; responses: object }>).map(
          ([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation }),
        ),
      );
      const keyed = operations.filter(({ parameters = [] }) => parameters.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key")));
      expect(keyed.length).to.be.greaterThan(20);
      expect(keyed.filter(({ responses }) => !("422" in responses)).map(({ name }) => name)).to.deep.equal([]);
      const withKey = { headers: { "Idempotency-Key": "k".repeat(256) } };
      expect((await tenant.owner.post("/service-accounts", { name: "x" }, withKey)).status).to.equal(422);
      expect(paths["/roles"].post.responses).to.have.property("404");
      const from = "01890000-0000-7000-8000-000000000000";
      expect((await tenant.owner.post(`/roles?from=${from}`, { key: "copy" })).status).to.equal(404);
    });

    describe("shows request bodies", () => {
      const shown = () =>
        liveActions(service.node.broker).flatMap(({ rest, body, example, acts, prepare }) =>
          rest && body && example ? [{ rest, body, example: example as object, isOutside: acts !== undefined || !!prepare }] : [],
        );

      it("that fit the schema of their operation, with no key that it would drop", () => {
        expect(shown().length).to.be.greaterThan(70);
        for (const { rest, body, example } of shown()) {
          const sent = structuredClone(example);
          const check: (value: unknown) => void = compileBody(body, rest.startsWith("POST"));
          expect(() => check(sent), rest).to.not.throw();
          expect(valuesIn(sent), rest).to.include.members(valuesIn(example));
        }
      });

      it("that can be sent as they are, where they name no record", async () => {
        const free = shown().filter(
          ({ rest, example, isOutside }) =>
            !isOutside &&
            pathParameters(rest).length === 0 &&
            !/[0-9a-f]{8}-(0c1e-4a5b|[0-9a-f]{4}-5[0-9a-f]{3})/.test(JSON.stringify(example)),
        );
        expect(free.length).to.be.greaterThan(15);
        // The demo's client that some of them name.
        expect((await tenant.owner.post("/companies", { name: "Bakkerij De Korenaar" })).status).to.equal(201);
        const refused: string[] = [];
        for (const { rest, example } of free.toSorted((one, other) => (one.rest < other.rest ? -1 : 1))) {
          const [method = "", path = ""] = rest.split(" ");
          const { status, body } = await tenant.owner[method.toLowerCase() as "post" | "put" | "patch"](path, example);
          if (status < 200 || status > 299) refused.push(`${rest}: ${status} ${JSON.stringify(body)}`);
        }
        expect(refused).to.deep.equal([]);
      });
    });

    it("is where `/` leads", async () => {
      const { status, headers } = await service.call("GET", "//", { host: tenant.host });
      expect([status, headers["location"]]).to.deep.equal([302, "/api/docs"]);
    });

    it("does not exist at the root, nor under /api/v1", async () => {
      for (const path of ["//docs", "//redoc", "//openapi.json", "/docs", "/openapi.json", "//api/docsx", "//api/openapi.yaml"])
        expect((await service.call("GET", path, { host: tenant.host })).status, path).to.equal(404);
    });
  });

  describe("with SERVICE_API_DOCS_ACCESS=staff", () => {
    let service: TestService;
    let tenant: Tenant;
    before(async () => {
      service = await startService({ SERVICE_API_DOCS_ACCESS: "staff" });
      tenant = await service.tenant();
    });
    after(() => service.stop());
    const read = (call: object, route = "//api/openapi.json") => service.call("GET", route, { host: tenant.host, ...call });

    for (const route of ROUTES)
      it(`${route.slice(1)} is 401 without credential, 403 for a client login, 200 for staff and any key`, async () => {
        const staff = await tenant.member("member", { password: PASSWORD });
        const client = await tenant.member("client", { password: PASSWORD });
        const cookie = (email: string) => signIn(service.port, tenant.host, email, PASSWORD);
        const machine = await tenant.serviceAccount([]);
        const other = await service.tenant();
        const got = {
          anonymous: (await read({}, route)).status,
          staff: (await read({ cookie: await cookie(staff.email) }, route)).status,
          "staff key": (await read({ key: staff.key }, route)).status,
          "key without scopes": (await read({ key: machine.key }, route)).status,
          client: (await read({ cookie: await cookie(client.email) }, route)).status,
          "client key": (await read({ key: client.key }, route)).status,
          "bad key": (await read({ key: "nonsense" }, route)).status,
          "key of another organisation": (await read({ key: other.owner.key }, route)).status,
          "unknown host": (await read({ host: "nobody.kantoor.test" }, route)).status,
        };
        expect(got).to.deep.equal({
          anonymous: 401,
          staff: 200,
          "staff key": 200,
          "key without scopes": 200,
          client: 403,
          "client key": 403,
          "bad key": 401,
          "key of another organisation": 401,
          "unknown host": 404,
        });
        expect((await read({ key: staff.key }, route)).headers["cache-control"]).to.equal("no-store");
      });

    it("closes with the key, the session, the role and the organisation: at once", async () => {
      const { sql } = service;
      const key = await createKey(sql, tenant.organisation.id, "kt", {
        name: "k",
        scopes: [],
        accountId: tenant.owner.accountId,
      });
      expect((await read({ key: key.value })).status).to.equal(200);
      await sql.query("update api_keys set revoked_at = now() where id = $1", [key.id]);
      expect((await read({ key: key.value })).status).to.equal(401);
      const person = await tenant.member("member", { password: PASSWORD });
      const session = inSession(service.port, tenant.host, await signIn(service.port, tenant.host, person.email, PASSWORD));
      expect((await session.get("//api/openapi.json")).status).to.equal(200);
      await sql.query("insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'client'", [
        tenant.organisation.id,
        person.membershipId,
      ]);
      expect((await session.get("//api/openapi.json")).status).to.equal(403);
      await sql.query("update organisations set status = 'suspended' where id = $1", [tenant.organisation.id]);
      expect((await session.get("//api/openapi.json")).status).to.equal(403);
      expect((await read({})).body.error.code).to.equal("org_suspended");
      await sql.query("update organisations set status = 'active' where id = $1", [tenant.organisation.id]);
    });

    it("leaves unknown paths unknown", async () => {
      expect((await read({}, "//api/nothing")).status).to.equal(404);
    });
  });

  describe("with SERVICE_API_DOCS_ENABLED=false", () => {
    let service: TestService;
    let tenant: Tenant;
    before(async () => {
      service = await startService({ SERVICE_API_DOCS_ENABLED: "false", SERVICE_API_DOCS_ACCESS: "staff" });
      tenant = await service.tenant();
    });
    after(() => service.stop());

    it("is 404, `/` leads nowhere, and the API keeps working", async () => {
      for (const route of [...ROUTES, "//"]) {
        const { status, body } = await send(service.port, "GET", route, { host: tenant.host, key: tenant.owner.key });
        expect(status, route).to.equal(404);
        expect(body).to.deep.equal({ error: { code: "not_found", message: "errors.not_found" } });
      }
      expect((await tenant.owner.get("/companies")).status).to.equal(200);
    });
  });
});
