import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { SimulatedSite } from "../../simulators/seranking.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { type LinkedSource, type SourcesWorld, startSources } from "./sources-world.ts";

const GA4 = { sources: { ga4: { event_labels: { purchase: { nl: "Aankoop", en: "Purchase" }, lead: { en: "Lead" } } } } };

describe("GET /marketing/companies/{company_id}/drilldown", () => {
  let world: SourcesWorld;
  let tenant: Tenant;
  let linked: LinkedSource;
  let counter = 900;

  before(async () => {
    world = await startSources();
  });
  beforeEach(async () => {
    world.seranking.reset();
    tenant = await world.service.tenant();
    await world.keyed(tenant);
    const project: SimulatedSite = {
      id: ++counter,
      title: "Bikes",
      name: "https://bikes.example",
      groups: [],
      engines: [],
      models: [],
    };
    world.seranking.sites.push(project);
    linked = await world.link(tenant, "seranking", { external_id: String(project.id) });
  });
  after(() => world.stop());

  const drill = (
    query: Record<string, string> = {},
    { who = tenant.owner, link = linked }: { who?: Caller; link?: LinkedSource } = {},
  ) => {
    const asked = new URLSearchParams({ link_id: link.id, kind: "keyword_groups", period: "2026-07", ...query });
    return who.get(`/marketing/companies/${link.companyId}/drilldown?${asked}`);
  };
  const calls = () => world.seranking.asked().filter((path) => path.includes("positions"));
  /** Keeps an answer of a kind, as if the source had given it. */
  const keep = (link: LinkedSource, kind: string, answer: unknown, span = "2026-07-01 2026-07-31") =>
    world.service.sql.query("insert into marketing_answers (organisation_id, cache_key, answer) values ($1, $2, $3)", [
      tenant.organisation.id,
      `drilldown ${link.id} ${kind} ${span}`,
      JSON.stringify(answer),
    ]);
  const row = (label: string, key: string | null = null) => ({ label, key, href: null, metrics: {} });
  /** A connection of the owner. */
  async function connection(status = "active", owner: Caller = tenant.owner): Promise<string> {
    const id = randomUUID();
    await world.service.sql.query(
      `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token, status)
       values ($1, $2, $3, $4, 'client', 'a@example.com', '{openid}', 'v1.00000000.sealed', $5)`,
      [id, tenant.organisation.id, owner.accountId, id, status],
    );
    return id;
  }

  describe("which link", () => {
    it("is 404 for a link of another client, of another organisation, one that was unlinked, and an unknown one", async () => {
      const other = await world.link(tenant, "seranking");
      const foreign = await world.link(await world.service.tenant(), "seranking");
      const unlinked = await world.link(tenant, "seranking", { active: false });
      const answers = await Promise.all([
        drill({ link_id: other.id }),
        drill({}, { link: foreign }),
        drill({}, { link: unlinked }),
        drill({ link_id: randomUUID() }),
      ]);
      expect(answers.map(({ status, body }) => [status, body.error.code])).to.deep.equal(Array(4).fill([404, "not_found"]));
      expect(world.seranking.received).to.have.length(0);
    });

    it("is 404 for restricted staff outside of their selection, and read inside of it", async () => {
      const bob = await tenant.member("member");
      const mine = await tenant.company();
      await tenant.group("mine", [mine.id], [bob.membershipId]);
      expect((await drill({}, { who: bob })).status).to.equal(404);
      const own = await world.link(tenant, "seranking", { company_id: mine.id, external_id: linked.id });
      await keep(own, "keyword_groups", []);
      expect((await drill({}, { who: bob, link: own })).status).to.equal(200);
    });

    it("takes marketing.metrics.read", async () => {
      const nobody = await tenant.member("member", { grants: ["companies.company.read"] });
      expect((await drill({}, { who: nobody })).status).to.equal(403);
    });

    it("works while the licence has lapsed: it is a read", async () => {
      const link = { company_id: linked.companyId, source: "seranking", external_id: "9", display_name: "Nine" };
      await world.service.sql.query(
        `insert into product_licences (module, expires_at, grace_days) values ('marketing', now() - interval '2 days', 0)
         on conflict (module) do update set expires_at = excluded.expires_at, grace_days = 0`,
      );
      try {
        expect((await tenant.owner.post("/marketing/links", link)).status).to.equal(402);
        expect((await drill()).body.available).to.equal(true);
        expect((await drill()).body.available).to.equal(true);
        expect(calls()).to.have.length(1);
      } finally {
        await world.service.sql.query(
          "update product_licences set expires_at = now() + interval '1 year' where module = 'marketing'",
        );
      }
    });
  });

  describe("which kind", () => {
    const refused = async (kind: string, how?: { who?: Caller; link?: LinkedSource }) => {
      const { status, body } = await drill({ kind }, how);
      return [status, body.error?.fields];
    };
    const invalid = [422, { kind: "errors.validation" }];

    it("is 422 for one that the source does not have", async () => {
      for (const kind of ["top_pages", "", "toString", "Keywords"]) expect(await refused(kind)).to.deep.equal(invalid);
    });

    it("is 422 for one that the client's layout removed", async () => {
      await world.settings(tenant, linked.companyId, { layout: { sources: { seranking: { drilldowns: ["audit"] } } } });
      expect(await refused("keyword_groups")).to.deep.equal(invalid);
      expect((await drill({ kind: "audit" })).status).to.equal(200);
    });

    it("is 422 for key events whose tile is not shown", async () => {
      const link = await world.link(tenant, "ga4", { connection_id: await connection() });
      await keep(link, "key_events", [row("purchase", "purchase")]);
      expect((await drill({ kind: "key_events" }, { link })).status).to.equal(200);
      await world.settings(tenant, link.companyId, { show_key_events: false });
      expect(await refused("key_events", { link })).to.deep.equal(invalid);
    });

    it("is 422 for every kind of a hidden source, except for those who manage links", async () => {
      await world.settings(tenant, linked.companyId, { layout: { sources: { seranking: { hidden: true } } } });
      expect(await refused("keyword_groups", { who: await tenant.member("member") })).to.deep.equal(invalid);
      expect((await drill()).status).to.equal(200);
    });
  });

  describe("which days", () => {
    const asked = async (query: Record<string, string>) => {
      world.seranking.reset();
      await drill({ ...query });
      const address = new URLSearchParams(calls()[0]?.split("?")[1]);
      return `${address.get("date_from")}..${address.get("date_to")}`;
    };
    const from = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 4);

    it("are those of the period, and of range_days without one", async () => {
      expect(await asked({ period: "2026-06" })).to.equal("2026-06-01..2026-06-30");
      expect(await asked({ period: "2026-Q1" })).to.equal("2026-01-01..2026-03-31");
      expect(await asked({ period: "", range_days: "400" })).to.match(new RegExp(`^${from(400)}`));
      expect(await asked({ period: "2026-05", range_days: "400" })).to.equal("2026-05-01..2026-05-31");
    });

    it("are 422 for range_days outside of 1 to 400", async () => {
      for (const range_days of ["0", "401"])
        expect((await drill({ period: "", range_days })).body.error.fields).to.have.all.keys("range_days");
    });
  });

  describe("the answer of this hour", () => {
    const aged = (seconds: number) =>
      world.service.sql.query("update marketing_answers set fetched_at = fetched_at - make_interval(secs => $1)", [seconds]);

    it("is used again for 3600 seconds, by link, kind and days", async () => {
      const first = await drill();
      expect((await drill()).body).to.deep.equal(first.body);
      expect(calls()).to.have.length(1);
      await aged(3590);
      await drill();
      expect(calls()).to.have.length(1);
      await drill({ period: "2026-06" });
      await drill({ kind: "keywords" });
      expect(calls()).to.have.length(3);
      await aged(20);
      await drill();
      expect(calls()).to.have.length(4);
    });

    it("is one for a named period and the same days by another name", async () => {
      await drill({ period: "", range_days: "30" });
      await drill({ period: "30d" });
      await drill({ period: "30d", link_id: linked.id.toUpperCase() });
      expect(calls()).to.have.length(1);
    });

    it("is never a failure", async () => {
      world.seranking.fail({ kind: "reply", status: 403, body: "{}" });
      const failed = await drill();
      expect([failed.status, failed.body.available, failed.body.unavailable_reason, failed.body.rows]).to.deep.equal([
        200,
        false,
        "marketing.seranking_key_rejected",
        [],
      ]);
      expect((await drill()).body.available).to.equal(true);
      expect(calls()).to.have.length(2);
    });

    it("leaves nothing behind of old answers", async () => {
      await drill();
      await aged(3601);
      await drill({ period: "2026-06" });
      const { rows } = await world.service.sql.query("select cache_key from marketing_answers where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows).to.have.length(1);
    });

    it("costs two statements", async () => {
      await drill();
      const bare = (await drill()).statements;
      expect(bare).to.equal(2);
    });
  });

  describe("a connection that is dead", () => {
    const dead = { available: false, unavailable_reason: "marketing.disconnected", rows: [] };

    it("is unavailable even with an answer of this hour: gone, in error, or of a colleague who left", async () => {
      const colleague = await tenant.member("member");
      const broken = await world.link(tenant, "ga4", { connection_id: await connection("error") });
      const left = await world.link(tenant, "ga4", { connection_id: await connection("active", colleague) });
      const gone = await world.link(tenant, "ga4");
      for (const link of [broken, left, gone]) await keep(link, "channels", [row("Direct")]);
      expect((await drill({ kind: "channels" }, { link: left })).body.available).to.equal(true);
      await world.service.sql.query("update memberships set deactivated_at = now() where id = $1", [colleague.membershipId]);
      for (const link of [broken, left, gone]) expect((await drill({ kind: "channels" }, { link })).body).to.deep.include(dead);
    });

    it("says where the source's own screen is", async () => {
      const link = await world.link(tenant, "ga4", { external_id: "properties/77" });
      expect((await drill({ kind: "channels" }, { link })).body.deep_link).to.equal(
        "https://analytics.google.com/analytics/web/#/p77/reports/intelligenthome",
      );
      const gsc = await world.link(tenant, "gsc", { external_id: "sc-domain:bikes.example" });
      expect((await drill({ kind: "top_pages" }, { link: gsc })).body.deep_link).to.equal(
        "https://search.google.com/search-console?resource_id=sc-domain%3Abikes.example",
      );
      const gads = await world.link(tenant, "gads", { external_id: "123-456-7890" });
      expect((await drill({ kind: "campaigns" }, { link: gads })).body.deep_link).to.equal(
        "https://ads.google.com/aw/overview?__c=1234567890",
      );
    });
  });

  describe("a quota that is used up", () => {
    it("stops every call for the link until it starts again (P23)", async () => {
      await world.service.sql.query(
        "update marketing_links set paused_until = now() + interval '1 hour', last_error = 'marketing.quota_used_up' where id = $1",
        [linked.id],
      );
      const { body } = await drill();
      expect([body.available, body.unavailable_reason]).to.deep.equal([false, "marketing.quota_used_up"]);
      expect(world.seranking.received).to.have.length(0);
      await world.service.sql.query("update marketing_links set paused_until = now() - interval '1 hour' where id = $1", [
        linked.id,
      ]);
      expect((await drill()).body.available).to.equal(true);
    });
  });

  describe("names of events", () => {
    it("are put on after the cache: the caller's language, else the other one, else the raw name", async () => {
      const link = await world.link(tenant, "ga4", { connection_id: await connection() });
      await keep(link, "key_events", [row("purchase", "purchase"), row("lead", "lead"), row("toString", "toString")]);
      const labels = async () =>
        (await drill({ kind: "key_events" }, { link })).body.rows.map(
          ({ label, key }: Record<string, string>) => `${key}: ${label}`,
        );
      expect(await labels()).to.deep.equal(["purchase: purchase", "lead: lead", "toString: toString"]);
      await world.settings(tenant, link.companyId, { layout: GA4 });
      await world.service.sql.query("update accounts set locale = 'nl' where id = $1", [tenant.owner.accountId]);
      expect(await labels()).to.deep.equal(["purchase: Aankoop", "lead: Lead", "toString: toString"]);
      await world.service.sql.query("update accounts set locale = 'en' where id = $1", [tenant.owner.accountId]);
      expect(await labels()).to.deep.equal(["purchase: Purchase", "lead: Lead", "toString: toString"]);
    });
  });
});
