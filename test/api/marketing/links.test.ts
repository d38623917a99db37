import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { seal } from "../../../core/database/sealed.ts";
import type { Answer } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import type { Caller } from "../../support/service.ts";
import { connected } from "../../support/workspace.ts";
import { type Agency, ALL_SCOPES, LINKS, type MarketingWorld, startMarketing } from "./google-world.ts";

describe("links to metric sources (marketing-ads §2.2)", () => {
  let world: MarketingWorld;
  let agency: Agency;
  before(async () => {
    world = await startMarketing();
  });
  beforeEach(async () => {
    agency = await world.agency();
  });
  afterEach(async () => {
    await world.settle();
    expect(world.google.complaints).to.deep.equal([]);
  });
  after(() => world.stop());

  const sql = (text: string, values: unknown[] = []) => world.service.sql.query(text, values);
  const ga4 = (values: Record<string, unknown> = {}) => ({
    company_id: agency.company,
    source: "ga4",
    external_id: "properties/1",
    display_name: "Shop",
    ...values,
  });
  const right = ({ status, text, body }: Answer) => {
    expect(status, text).to.equal(200);
    return body;
  };
  const list = async (who: Caller = agency.owner, company = agency.company, more = "") =>
    right(await who.get(`${LINKS}?company_id=${company}${more}`));
  const activity = async () => {
    const { body } = await agency.owner.get(`/activity?entity_type=company&entity_id=${agency.company}`);
    return body
      .filter(({ action }: { action: string }) => action.startsWith("marketing."))
      .map(({ action, payload }: { action: string; payload: unknown }) => [action, payload]);
  };
  const queued = async () =>
    (
      await sql(
        `select job as name, payload from outbox where job like 'marketing.backfill.%' and relayed_at is null
         union all select name, data -> 'payload' from jobs.agenda_jobs where name like 'marketing.backfill.%' and type = 'normal'`,
      )
    ).rows;
  const website = async (company = agency.company): Promise<{ id: string; name: string }> => {
    const name = `site${randomUUID().slice(0, 8)}.nl`;
    const domain = (await agency.owner.post("/domains", { name, company_id: company })).body;
    const { status, text, body } = await agency.owner.post("/websites", { domain_id: domain.id });
    expect(status, text).to.equal(201);
    return { id: body.id, name };
  };
  const restrictedTo = async (company: string, role: "admin" | "member" = "admin") => {
    const who = await agency.tenant.member(role);
    await agency.tenant.group("theirs", [company], [who.membershipId]);
    return who;
  };

  describe("POST /marketing/links", () => {
    it("links a client to an account, with the caller's own connection", async () => {
      const site = await website();
      const config = { currency: "EUR", propertyType: "PROPERTY_TYPE_ORDINARY" };
      const { status, body } = await agency.owner.post(LINKS, ga4({ website_id: site.id, config }));
      expect(status).to.equal(201);
      const { id, ...rest } = body;
      expect(rest).to.deep.equal({
        company_id: agency.company,
        website_id: site.id,
        website_name: site.name,
        source: "ga4",
        external_id: "properties/1",
        display_name: "Shop",
        config,
        active: true,
        last_synced_at: null,
        last_error: null,
        backfill_done: false,
        data_from: null,
        connection_ok: true,
        connection_owner: {
          user_id: agency.owner.accountId,
          name: rest.connection_owner.name,
          email: agency.person.email,
          is_me: true,
        },
      });
      expect(await list()).to.deep.equal([body]);
      expect((await world.row(id)).connection_id).to.be.a("string");
    });

    it("links without a connection too; such a link is not read", async () => {
      const admin = await agency.tenant.member("admin");
      const { status, body } = await admin.post(LINKS, ga4());
      expect([status, body.connection_ok, body.connection_owner]).to.deep.equal([201, false, null]);
      await world.settle();
      expect(world.google.calls("analyticsdata")).to.deep.equal([]);
      expect((await world.row(body.id)).last_error).to.equal(null);
    });

    it("names the owner of the connection, to colleagues by name and to a client login not at all (S20)", async () => {
      await agency.owner.post(LINKS, ga4());
      const ann = await agency.tenant.member("member");
      const [seen] = await list(ann);
      expect(seen.connection_owner).to.deep.include({
        user_id: agency.owner.accountId,
        email: agency.person.email,
        is_me: false,
      });
      const client = await agency.tenant.member("client");
      await agency.tenant.group("client", [agency.company], [client.membershipId]);
      const [shown] = await list(client);
      expect([shown.connection_owner, shown.connection_ok]).to.deep.equal([null, true]);
    });

    it("reports the connection of a colleague who left, and one in error, as one that does not work", async () => {
      const colleague = await agency.tenant.member("admin");
      await connected(world.google, colleague, { query: ALL_SCOPES });
      await colleague.post(LINKS, ga4());
      const isOk = async () => (await list())[0].connection_ok;
      expect(await isOk()).to.equal(true);
      await sql("update memberships set deactivated_at = now() where id = $1", [colleague.membershipId]);
      expect(await isOk()).to.equal(false);
      await sql("update memberships set deactivated_at = null where id = $1", [colleague.membershipId]);
      await sql("update workspace_connections set status = 'error' where account_id = $1", [colleague.accountId]);
      expect(await isOk()).to.equal(false);
    });

    it("queues one backfill, five seconds ahead, for a new link and for no other", async () => {
      const before = Date.now();
      const { body } = await agency.owner.post(LINKS, ga4());
      const due = (
        await sql("select run_at from outbox where job = 'marketing.backfill.ga4' and payload ->> 'link_id' = $1", [body.id])
      ).rows;
      const relayed = (await sql("select next_run_at from jobs.agenda_jobs where name = 'marketing.backfill.ga4'")).rows;
      const [{ run_at, next_run_at }] = [...due, ...relayed];
      expect(new Date(run_at ?? next_run_at).getTime() - before).to.be.within(4_000, 60_000);
      await world.settle();
      await agency.owner.post(LINKS, ga4({ display_name: "Other name" }));
      await agency.owner.delete(`${LINKS}/${body.id}`);
      await agency.owner.post(LINKS, ga4());
      expect(await queued()).to.deep.equal([]);
    });

    it("gives an account that is linked already its new name, config, website and the caller's connection, under the same id", async () => {
      const first = (await agency.owner.post(LINKS, ga4({ config: { currency: "EUR" } }))).body;
      const site = await website();
      const admin = await agency.tenant.member("admin");
      const person = await connected(world.google, admin, { query: ALL_SCOPES });
      const changed = ga4({ display_name: "Renamed", config: { currency: "USD" }, website_id: site.id });
      const { status, body } = await admin.post(LINKS, changed);
      expect(status).to.equal(201);
      expect(body).to.deep.include({ id: first.id, display_name: "Renamed", config: { currency: "USD" }, website_id: site.id });
      expect(body.connection_owner).to.deep.include({ email: person.email, is_me: true });
      expect(await list()).to.have.length(1);
    });

    it("records that a client was linked on the client, with the website's name, and not what changes nothing", async () => {
      const site = await website();
      const { id } = (await agency.owner.post(LINKS, ga4({ website_id: site.id }))).body;
      await agency.owner.post(LINKS, ga4({ website_id: site.id }));
      await agency.owner.delete(`${LINKS}/${id}`);
      await agency.owner.delete(`${LINKS}/${id}`);
      await agency.owner.post(LINKS, ga4());
      expect(await activity()).to.deep.equal([
        ["marketing.linked", { source: "ga4", name: "Shop" }],
        ["marketing.unlinked", { source: "ga4", name: "Shop" }],
        ["marketing.linked", { source: "ga4", name: "Shop", website: site.name }],
      ]);
    });

    it("makes one link of many at once", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => agency.owner.post(LINKS, ga4())));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).to.equal(1);
      expect(await list()).to.have.length(1);
      expect(await activity()).to.have.length(1);
    });

    for (const [source, spelling, typed, wrong] of [
      ["ga4", "properties/12", [" 12 ", "properties/12"], ["G-ABC12", "UA-12-1", "accounts/12", "properties/"]],
      ["gsc", "sc-domain:shop.nl", ["sc-domain:Shop.NL", "SC-Domain:shop.nl "], ["shop.nl", "sc-domain:", "sc-domain:a b"]],
      ["gsc", "https://shop.nl/", ["HTTPS://Shop.nl", "https://shop.nl/"], ["ftp://shop.nl/", "https://"]],
      ["gads", "1234567890", ["123-456-7890", "customers/1234567890"], ["123456789", "12345678901", "customers/1/x"]],
      ["seranking", "70001", [" 70001"], ["70001a", "-1"]],
    ] as const)
      it(`has one spelling of ${spelling}, and refuses what is no account of ${source}`, async () => {
        for (const external_id of wrong) {
          const { status, body } = await agency.owner.post(LINKS, ga4({ source, external_id }));
          expect([status, body.error.fields], external_id).to.deep.equal([
            422,
            { external_id: "errors.marketing_external_id_invalid" },
          ]);
        }
        for (const external_id of typed) {
          const { status, body } = await agency.owner.post(LINKS, ga4({ source, external_id }));
          expect([status, body.external_id], external_id).to.deep.equal([201, spelling]);
        }
        expect(await list()).to.have.length(1);
      });

    it("takes an advertising account in another spelling for the same one, and keeps the first (S19)", async () => {
      const gads = (external_id: string, display_name: string) => ga4({ source: "gads", external_id, display_name });
      const first = (await agency.owner.post(LINKS, gads("1234567890", "Ads"))).body;
      // Stored by a version that kept what was sent.
      await sql("update marketing_links set external_id = '123-456-7890' where id = $1", [first.id]);
      const { body } = await agency.owner.post(LINKS, gads("1234567890", "Ads again"));
      expect(body).to.deep.include({ id: first.id, external_id: "123-456-7890", display_name: "Ads again" });
    });

    it("makes the account of a gads link an advertising account of the client, once (S19)", async () => {
      const config = { currency: "EUR", manager_id: "9990000000" };
      const values = ga4({ source: "gads", external_id: "123-456-7890", config });
      const { id } = (await agency.owner.post(LINKS, values)).body;
      await agency.owner.post(LINKS, values);
      const accounts = async () =>
        (
          await sql(
            "select customer_id, company_id, currency_code, login_customer_id, connection_id from ads_accounts where organisation_id = $1",
            [agency.tenant.organisation.id],
          )
        ).rows;
      await until(async () => (await accounts()).length > 0);
      await world.settle();
      expect(await accounts()).to.deep.equal([
        {
          customer_id: "1234567890",
          company_id: agency.company,
          currency_code: "EUR",
          login_customer_id: "9990000000",
          connection_id: (await world.row(id)).connection_id,
        },
      ]);
      expect((await list()).map((link: { id: string }) => link.id)).to.deep.equal([id]);
    });

    it("refuses a website of another client, and a client that is not there, by 404", async () => {
      const other = await website((await agency.tenant.company()).id);
      for (const wrong of [{ website_id: other.id }, { website_id: randomUUID() }, { company_id: randomUUID() }])
        expect((await agency.owner.post(LINKS, ga4(wrong))).status, JSON.stringify(wrong)).to.equal(404);
      const stranger = await restrictedTo((await agency.tenant.company()).id);
      expect((await stranger.post(LINKS, ga4())).body.error).to.deep.include({ code: "not_found" });
      expect(await list()).to.deep.equal([]);
    });

    it("refuses an unknown source, and names that are empty or too long, by their fields", async () => {
      const wrong = { source: "matomo", external_id: "", display_name: "x".repeat(513) };
      const { status, body } = await agency.owner.post(LINKS, ga4(wrong));
      expect([status, Object.keys(body.error.fields).sort()]).to.deep.equal([422, ["display_name", "external_id", "source"]]);
      const longest = ga4({ source: "gsc", external_id: `https://shop.nl/${"e".repeat(496)}`, display_name: "é".repeat(512) });
      expect((await agency.owner.post(LINKS, longest)).status).to.equal(201);
    });

    it("needs a website for Rank Math, and its stored credential", async () => {
      const rankmath = (values = {}) => ga4({ source: "rankmath", external_id: randomUUID(), ...values });
      const none = await agency.owner.post(LINKS, rankmath());
      expect([none.status, none.body.error]).to.deep.equal([
        422,
        {
          code: "validation",
          message: "errors.marketing_rankmath_website_required",
          fields: { website_id: "errors.required" },
        },
      ]);
      const site = await website();
      const without = await agency.owner.post(LINKS, rankmath({ website_id: site.id }));
      expect([without.status, without.body.error.message, without.body.error.fields]).to.deep.equal([
        422,
        "errors.marketing_rankmath_not_connected",
        { website_id: "errors.required" },
      ]);
      const { id: organisation } = agency.tenant.organisation;
      const [id, table] = [randomUUID(), "marketing_website_credentials"];
      await sql(
        `insert into ${table} (id, organisation_id, website_id, address, username, password)
         values ($1, $2, $3, 'https://site.example', 'agency', $4)`,
        [id, organisation, site.id, seal("a password", { table, column: "password", organisation, row: id })],
      );
      const { status, body } = await agency.owner.post(LINKS, rankmath({ website_id: site.id }));
      expect([status, body.connection_ok, body.connection_owner]).to.deep.equal([201, true, null]);
      await agency.owner.delete(`${LINKS}/${body.id}`);
    });
  });

  describe("DELETE /marketing/links/{link_id}", () => {
    it("removes a link once, and keeps the row and its days", async () => {
      const property = world.analytics.property("Shop", { person: agency.person });
      property.visits = () => [{ user: "a" }];
      const id = await world.link(agency, { source: "ga4", external_id: property.id });
      const days = await world.days(id);
      expect(days).to.have.length(800);
      for (const _again of [1, 2]) expect((await agency.owner.delete(`${LINKS}/${id}`)).status).to.equal(204);
      expect((await list()).map(({ active }: { active: boolean }) => active)).to.deep.equal([false]);
      expect(await world.days(id)).to.deep.equal(days);
      expect((await activity()).map(([action]: [string]) => action)).to.deep.equal(["marketing.unlinked", "marketing.linked"]);
    });

    it("answers 404 for a link that is not there, of another organisation, or of a client out of the selection", async () => {
      const { id } = (await agency.owner.post(LINKS, ga4())).body;
      const stranger = await restrictedTo((await agency.tenant.company()).id);
      const other = await world.service.tenant();
      expect((await agency.owner.delete(`${LINKS}/${randomUUID()}`)).status).to.equal(404);
      expect((await stranger.delete(`${LINKS}/${id}`)).status).to.equal(404);
      expect((await other.owner.delete(`${LINKS}/${id}`)).status).to.equal(404);
      expect((await list())[0].active).to.equal(true);
    });
  });

  describe("GET /marketing/links", () => {
    it("has active and removed links by source and name, and those changed since", async () => {
      for (const [source, external_id, display_name] of [
        ["gsc", "sc-domain:b.nl", "b"],
        ["ga4", "properties/2", "zeta"],
        ["ga4", "properties/1", "Alpha"],
        ["gsc", "sc-domain:a.nl", "Ä"],
      ])
        await agency.owner.post(LINKS, ga4({ source, external_id, display_name }));
      const all = await list();
      await agency.owner.delete(`${LINKS}/${all[1].id}`);
      expect(
        (await list()).map((one: { display_name: string; active: boolean }) => [one.display_name, one.active]),
      ).to.deep.equal([
        ["Alpha", true],
        ["zeta", false],
        ["Ä", true],
        ["b", true],
      ]);
      await sql("update marketing_links set updated_at = now() - interval '1 day' where id <> $1", [all[0].id]);
      const since = new Date(Date.now() - 3_600_000).toISOString();
      expect(
        (await list(agency.owner, agency.company, `&updated_since=${since}`)).map(({ id }: { id: string }) => id),
      ).to.deep.equal([all[0].id]);
    });

    it("leaves out the links of a hidden source for callers who manage none", async () => {
      await agency.owner.post(LINKS, ga4());
      await agency.owner.post(LINKS, ga4({ source: "gsc", external_id: "sc-domain:a.nl" }));
      const layout = { sources: { gsc: { hidden: true } } };
      expect((await agency.owner.put(`/marketing/companies/${agency.company}/settings`, { layout })).status).to.equal(200);
      const member = await agency.tenant.member("member");
      const sources = async (who: Caller) => (await list(who)).map(({ source }: { source: string }) => source);
      expect(await sources(agency.owner)).to.deep.equal(["ga4", "gsc"]);
      expect(await sources(member)).to.deep.equal(["ga4"]);
    });

    it("answers 404 for a client that is not there, of another organisation, or out of the selection", async () => {
      const stranger = await restrictedTo((await agency.tenant.company()).id, "member");
      for (const [who, company] of [
        [agency.owner, randomUUID()],
        [stranger, agency.company],
        [(await world.service.tenant()).owner, agency.company],
      ] as const)
        expect((await who.get(`${LINKS}?company_id=${company}`)).status).to.equal(404);
      const theirs = await restrictedTo(agency.company, "member");
      expect((await theirs.get(`${LINKS}?company_id=${agency.company}`)).status).to.equal(200);
    });
  });
});
