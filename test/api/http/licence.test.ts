import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { input, label, list, Type } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { createKey } from "../../../operator/organisations.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const ID = "01890000-0000-7000-8000-00000000000b";
const Body = input("ProofSite", { name: label(20) });
const write = (method: string, permission: string, path: string, exempt?: string) =>
  action({
    rest: `${method} ${path}`,
    summary: `${method} with ${permission}`,
    permission,
    body: Body,
    ...(exempt === undefined ? {} : { licenceExempt: exempt }),
    async handler() {
      await trail("proof", ID, "written");
    },
  });

/** Writes of a licensed module (websites), of another (time, scoped) and of a module without a licence (contacts). */
const proof = actor("proof.licence", {
  actions: {
    read: action({
      rest: "GET /proof/sites",
      summary: "Reads",
      permission: "websites.website.read",
      returns: list(Type.String()),
      handler: () => [],
    }),
    touch: action({
      rest: "GET /proof/sites/settings",
      summary: "Reads, and makes a row on first touch",
      permission: "websites.website.read",
      writes: true,
      returns: list(Type.String()),
      async handler() {
        await trail("proof", ID, "made");
        return [];
      },
    }),
    post: write("POST", "websites.website.write", "/proof/sites"),
    put: write("PUT", "websites.website.write", "/proof/sites"),
    patch: write("PATCH", "websites.website.write", "/proof/sites"),
    remove: write("DELETE", "websites.website.delete", "/proof/sites"),
    exempt: write("POST", "websites.website.write", "/proof/sites/refresh", "recording what already happened must always work"),
    scoped: write("POST", "time.entry.write", "/proof/entries"),
    free: write("POST", "contacts.contact.write", "/proof/contacts"),
  },
});

type Licensed = { module: string; expires: string; grace?: number };

describe("the licence", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;

  const licence = async (installed: string, ...modules: Licensed[]) => {
    await service.sql.query(`update installation set installed_at = now() - interval '${installed}'`);
    await service.sql.query("truncate product_licences");
    for (const { module, expires, grace = 0 } of modules)
      await service.sql.query(`insert into product_licences values ($1, now() + interval '${expires}', $2)`, [module, grace]);
  };
  const plan = (name: string, ends: string | null) =>
    service.sql.query("update organisations set plan = $2, plan_ends_at = now() + $3::interval where id = $1", [
      tenant.organisation.id,
      name,
      ends,
    ]);
  const post = (path: string) => owner.post(path, { name: "x" });
  const writes = async () => (await post("/proof/sites")).status;

  describe("self-hosted", () => {
    before(async () => {
      service = await startService({}, [proof]);
      tenant = await service.tenant();
      owner = tenant.owner;
    });
    after(() => service.stop());

    it("that lists no module lets it be written for 14 days after installation", async () => {
      await licence("13 days 23 hours");
      expect(await writes()).to.equal(204);
      await licence("14 days 1 minute");
      expect(await writes()).to.equal(402);
    });

    it("that lists the module lets it be written until it expires, grace days included", async () => {
      await licence("1 year", { module: "websites", expires: "1 minute" });
      expect(await writes()).to.equal(204);
      await licence("1 year", { module: "websites", expires: "-1 minute" });
      expect(await writes()).to.equal(402);
      await licence("1 year", { module: "websites", expires: "-6 days -23 hours", grace: 7 });
      expect(await writes()).to.equal(204);
      await licence("1 year", { module: "websites", expires: "-7 days -1 minute", grace: 7 });
      expect(await writes()).to.equal(402);
    });

    it("that has expired is never revived by the trial", async () => {
      await licence("1 day", { module: "websites", expires: "-1 minute" });
      expect(await writes()).to.equal(402);
      expect((await post("/proof/entries")).status).to.equal(204);
    });

    it("of one module says nothing about another", async () => {
      await licence("1 year", { module: "time", expires: "1 day" });
      expect(await writes()).to.equal(402);
      expect((await post("/proof/entries")).status).to.equal(204);
    });

    it("refuses POST, PUT, PATCH and DELETE with 402 license_expired, and writes nothing", async () => {
      await licence("1 year");
      const before = (await service.sql.query("select count(*) from activity")).rows;
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const call = { host: tenant.host, key: owner.key, body: { name: "x" } };
        const { status, body } = await service.call(method, "/proof/sites", call);
        expect(status, method).to.equal(402);
        expect(body).to.deep.equal({ error: { code: "license_expired", message: "errors.license_expired" } });
      }
      expect((await service.sql.query("select count(*) from activity")).rows).to.deep.equal(before);
    });

    it("never refuses a read, one that makes a row on first touch included", async () => {
      await licence("1 year");
      expect((await owner.get("/proof/sites")).status).to.equal(200);
      expect((await owner.get("/proof/sites/settings")).status).to.equal(200);
    });

    it("never gates a module without a licence, nor an exempt call", async () => {
      await licence("1 year");
      expect((await post("/proof/contacts")).status).to.equal(204);
      expect((await post("/companies")).status).to.equal(201);
      expect((await post("/proof/sites/refresh")).status).to.equal(204);
    });

    it("gates scoped permissions and service accounts alike", async () => {
      await licence("1 year");
      const account = await tenant.serviceAccount(["time.entry.write:any"]);
      expect((await account.post("/proof/entries", { name: "x" })).status).to.equal(402);
    });

    it("that is installed or removed takes effect with the next request", async () => {
      await licence("1 year");
      for (let round = 0; round < 10; round++) {
        expect(await writes()).to.equal(402);
        await service.sql.query("insert into product_licences values ('websites', now() + interval '1 day')");
        expect(await writes()).to.equal(204);
        await service.sql.query("delete from product_licences");
      }
    });

    it("does not affect a hosted plan", async () => {
      await plan("none", null);
      await licence("1 year", { module: "websites", expires: "1 day" });
      expect(await writes()).to.equal(204);
    });

    it("never decides containment: key scopes and selections hold without one", async () => {
      await licence("1 year");
      const key = await createKey(service.sql, tenant.organisation.id, "kt", {
        name: "narrow",
        scopes: ["companies.company.read"],
        accountId: owner.accountId,
      });
      expect((await owner.post("/proof/sites", { name: "x" }, { key: key.value })).status).to.equal(403);
    });
  });

  describe("self-hosted, without a required licence", () => {
    before(async () => {
      service = await startService({ SERVICE_LICENSING: "" }, [proof]);
      tenant = await service.tenant();
      owner = tenant.owner;
    });
    after(() => service.stop());

    it("allows all writes forever, even with expired licences", async () => {
      await licence("20 years");
      expect(await writes()).to.equal(204);
      await licence("20 years", { module: "websites", expires: "-1 year" });
      expect([await writes(), (await post("/proof/entries")).status]).to.deep.equal([204, 204]);
    });

    it("entitles to every module, and lets each be enabled", async () => {
      await licence("20 years");
      const { body } = await owner.get("/meta/tenant");
      expect(body.entitled_modules).to.include.members(["hr", "companies"]);
      expect(body.licensed_modules).to.include("hr").and.not.include("companies");
      const only = await owner.patch("/meta/tenant", { enabled_modules: ["companies"] });
      expect(only.status).to.equal(200);
      expect((await owner.patch("/meta/tenant", { enabled_modules: ["companies", "hr"] })).status).to.equal(200);
    });

    it("says so in system/info, and has no job that announces the end of a trial", async () => {
      await licence("11 days");
      expect((await owner.get("/system/info")).body.licensing).to.deep.equal({ required: false, trial_ends_at: null });
      const names = jobsOf(service.node.broker).definitions.map(({ name }) => name);
      expect(names).to.include("system.update-check").and.not.include("system.announce-trial-end");
    });
  });

  describe("hosted", () => {
    it("refuses to enable a module that the plan does not hold", async () => {
      await plan("none", null);
      const { enabled_modules } = (await owner.get("/meta/tenant")).body;
      await owner.patch("/meta/tenant", { enabled_modules: ["companies"] });
      const { status, body } = await owner.patch("/meta/tenant", { enabled_modules });
      expect([status, body.error.code, body.error.message]).to.deep.equal([409, "plan_inactive", "errors.plan_inactive"]);
    });

    before(async () => {
      service = await startService({ SERVICE_POSTURE: "hosted" }, [proof]);
      tenant = await service.tenant();
      owner = tenant.owner;
    });
    after(() => service.stop());

    const table: [string, string | null, number][] = [
      ["standard", null, 204],
      ["standard", "-1 day", 204],
      ["unlimited", null, 204],
      ["trial", null, 204],
      ["trial", "1 minute", 204],
      ["trial", "-1 second", 402],
      ["none", null, 402],
      ["none", "1 day", 402],
    ];
    for (const [name, ends, status] of table)
      it(`plan ${name}, ${ends === null ? "no end" : `ends in ${ends}`}: ${status}, from the next request`, async () => {
        await plan(name, ends);
        const answer = await post("/proof/sites");
        expect(answer.status).to.equal(status);
        if (status === 402)
          expect(answer.body).to.deep.equal({ error: { code: "plan_inactive", message: "errors.plan_inactive" } });
      });

    it("reads, and writes what needs no licence, without any plan", async () => {
      await plan("none", null);
      expect((await owner.get("/proof/sites")).status).to.equal(200);
      expect((await post("/companies")).status).to.equal(201);
    });

    it("is not affected by an installed licence", async () => {
      await plan("none", null);
      await licence("1 day", { module: "websites", expires: "1 year" });
      expect(await writes()).to.equal(402);
    });
  });
});
