import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import pg from "pg";
import type { Listing } from "../../../core/database/lists/list.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { action, declared } from "../../../core/declare/action.ts";
import { htmlPage } from "../../../core/declare/makers/html-page.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import type { TSchema } from "../../../core/schema/schema.ts";
import { requestMiddleware } from "../../../mixins/request/request.ts";
import { resource, service } from "../../../mixins/resource.ts";
import { CompanyGroup } from "../../../services/clients/models.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { saidOf } from "../../support/fixture/fixture-makers.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const handler = () => ({});

describe("a declared action", () => {
  it("refuses a declaration with neither a permission nor a reason for being open", () => {
    expect(() => declared({ rest: "GET /nowhere", summary: "Nothing", handler })).to.throw(TypeError, "GET /nowhere");
  });

  it("refuses a declaration with both: which of them holds would be a guess", () => {
    const both = { permission: "companies.company.read", open: "because" };
    expect(() => declared({ rest: "GET /nowhere", summary: "Nothing", ...both, handler })).to.throw(TypeError);
  });
});

describe("an action that acts outside", () => {
  const shared = { summary: "Orders", open: "a test", acts: "outside", handler } as const;
  const prepare = async () => null;

  it("is done in prepare, for a handler of HTTP has a transaction", () => {
    expect(() => openAction({ rest: "POST /orders", ...shared })).to.throw(
      TypeError,
      "'POST /orders' acts outside but has no prepare",
    );
    expect(() => htmlPage({ page: "POST /orders", ...shared })).to.throw(TypeError, "no prepare");
    expect(() => openAction({ rest: "POST /orders", ...shared, prepare })).to.not.throw();
    expect(() => internal({ ...shared }), "for other actors alone").to.not.throw();
  });

  it("is not a read", () => {
    expect(() => openAction({ rest: "GET /orders", ...shared, prepare })).to.throw(TypeError, "which is not allowed for a read");
    expect(() => openAction({ rest: "GET /orders", writes: true, ...shared, prepare })).to.not.throw();
  });
});

describe("service() and resource()", () => {
  it("refuse an action that was written without action()", () => {
    const bare = { bare: { handler } } as unknown as Parameters<typeof service>[1]["actions"];
    expect(() => service("probe", { actions: bare })).to.throw(TypeError, "probe.bare");
    expect(() => resource("probe", { model: CompanyGroup, actions: bare })).to.throw(TypeError, "probe.bare");
  });
});

describe("a node", () => {
  const start = async (schema: ServiceSchema, standIns: string[]) => {
    const broker = new ServiceBroker({ logger: false, internalMiddlewares: false, middlewares: [requestMiddleware(standIns)] });
    try {
      broker.createService(schema);
      await broker.start();
    } finally {
      await broker.stop();
    }
  };
  const declared = (permission: string, also: string[] = []) =>
    service("probe", { actions: { read: action({ rest: "GET /probe", summary: "Probe", permission, also, handler }) } });

  const refused = async (schema: ServiceSchema, standIns: string[] = []): Promise<Error | undefined> =>
    start(schema, standIns).then(
      () => undefined,
      (error: Error) => error,
    );

  it("starts with a permission of the catalogue, bare or scoped", async () => {
    for (const permission of ["companies.company.read", "leave.request.read", "leave.request.read:own", "leave.request.read:any"])
      expect(await refused(declared(permission)), permission).to.equal(undefined);
  });

  it("does not start with a permission of a planned module, unless a test declares a stand-in", async () => {
    for (const permission of ["dashboard.prefs.read", "dashboard.prefs.write"]) {
      const [module = ""] = permission.split(".");
      const said = `probe.read declares '${permission}', a permission of '${module}', which no module.ts declares yet`;
      expect((await refused(declared(permission)))?.message).to.equal(said);
      expect((await refused(declared(permission), ["portal"]))?.message).to.equal(said);
      expect(await refused(declared(permission), [module]), permission).to.equal(undefined);
    }
  });

  it("does not start with an error that no module declares, nor with one of a module that is only awaited", async () => {
    const erring = (...errors: string[]) =>
      service("probe", {
        actions: {
          read: action({ rest: "GET /probe", summary: "Probe", permission: "companies.company.read", errors, handler }),
        },
      });
    expect(await refused(erring("conflict", "conflict errors.leave_overlap"))).to.equal(undefined);
    for (const error of ["no_such_error", "conflict errors.no_such_message", "demo_blocked"])
      expect((await refused(erring(error)))?.message).to.equal(
        `probe.read declares the error '${error}', which no module.ts declares`,
      );
  });

  it("does not start with a permission that is not in the catalogue, and names action and key", async () => {
    for (const permission of ["companies.company.reed", "companies.company.read:own", "time.entry.read:all", "*", ""])
      expect((await refused(declared(permission)))?.message, permission).to.match(
        /^probe\.read .*not in the permission catalogue/,
      );
    const also = declared("companies.company.read", ["no.such.key"]);
    expect((await refused(also))?.message).to.include("no.such.key");
  });
});

describe("ctx.call in a write", () => {
  let running: TestService;
  let tenant: Tenant;
  const said = { type: "object", properties: {} } as unknown as TSchema;
  /** Calls another actor before or after its own first statement and reports the result. */
  const probe = service("companies.probe", {
    actions: {
      before: action({
        rest: "POST /companies/probe/before",
        summary: "Calls, then writes",
        permission: "companies.group.manage",
        returns: said,
        async handler(ctx) {
          const found = (await ctx.call("companies.groups.list", {})) as unknown[];
          await queueInsert(CompanyGroup, { name: "before", position: 0 });
          return { found: found.length };
        },
      }),
      after: action({
        rest: "POST /companies/probe/after",
        summary: "Writes, then calls",
        permission: "companies.group.manage",
        returns: said,
        async handler(ctx) {
          await queueInsert(CompanyGroup, { name: "after", position: 0 });
          await ctx.call("companies.groups.list", {});
          return {};
        },
      }),
      reported: action({
        rest: "POST /companies/probe/reported",
        summary: "Writes, then calls, and tells",
        permission: "companies.group.manage",
        returns: said,
        async handler(ctx) {
          await queueInsert(CompanyGroup, { name: "reported", position: 0 });
          const refused = await ctx.call("companies.groups.list", {}).catch((error: Error) => error.message);
          const elsewhere = await ctx.call("no.such.actor", {}).catch((error: Error) => error.message);
          return { refused, elsewhere };
        },
      }),
    },
  });

  before(async () => {
    running = await startService({}, [probe]);
    tenant = await running.tenant();
  });
  after(() => running.stop());

  const groups = async (): Promise<string[]> =>
    (await tenant.owner.get("/companies/groups")).body.map(({ name }: { name: string }) => name);

  it("works before the transaction has begun", async () => {
    const { status, body: answer } = await tenant.owner.post("/companies/probe/before");
    expect([status, answer]).to.deep.equal([201, { found: 0 }]);
  });

  it("throws inside of it, and nothing is written", async () => {
    const { status, body: answer } = await tenant.owner.post("/companies/probe/after");
    expect([status, answer.error.code]).to.deep.equal([500, "server_error"]);
    expect(await groups()).to.not.include("after");
  });

  it("names the refused call, of a local and of a possibly remote actor", async () => {
    const { body: answer } = await tenant.owner.post("/companies/probe/reported");
    expect(answer).to.deep.equal({
      refused: "'companies.groups.list' was called inside an open write transaction",
      elsewhere: "'no.such.actor' was called inside an open write transaction",
    });
  });
});

describe("lists", () => {
  let database: TestDatabase;
  let client: pg.Client;

  before(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.owner });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  /** The leading columns of every complete index of a table, with their collation where it is not the column's own. */
  const indexesOf = async (table: string): Promise<string[]> => {
    const { rows } = await client.query<{ columns: string }>(
      `select (select string_agg(a.attname || case when c.oid is null or c.oid = a.attcollation then '' else ' ' || c.collname end, ', ' order by k.n)
                 from unnest(x.indkey::int2[], x.indcollation::oid[]) with ordinality k(attnum, collated, n)
                 join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum left join pg_collation c on c.oid = k.collated) as columns
         from pg_index x where x.indrelid = $1::regclass and x.indisvalid and x.indpred is null`,
      [table],
    );
    return rows.map(({ columns }) => columns ?? "");
  };

  it("have for every sort by a column of their own an index that begins with the organisation and that column", async () => {
    const files = globSync("{services,integrations}/**/*.list.ts", { cwd: ROOT });
    const missing: string[] = [];
    let looked = 0;
    for (const file of files) {
      const exported = (await import(pathToFileURL(path.join(ROOT, file)).href)) as Record<string, unknown>;
      for (const { spec } of Object.values(exported).filter((value): value is Listing => !!(value as Listing)?.functions)) {
        const indexes = await indexesOf(spec.table);
        for (const [key, { by, text, join }] of Object.entries({
          ...spec.sorts,
          updated_since: { by: "t.updated_at" } as Listing["spec"]["sorts"][string],
        })) {
          const column = /^t\.([a-z_]+)$/.exec(String(by))?.[1];
          if (!column || join || saidOf("lists")[spec.table]?.excepted[key]) continue;
          looked += 1;
          const wanted = `organisation_id, ${column}${text ? " kantoor_text" : ""}`;
          if (!indexes.some((columns) => columns === wanted || columns.startsWith(`${wanted}, `)))
            missing.push(`${spec.table} by ${key}: ${wanted}`);
        }
      }
    }
    expect(looked).to.be.greaterThan(0);
    expect(missing).to.deep.equal([]);
  });
});
