import { expect } from "chai";
import { ruleOf } from "../../../../integrations/edge/redirects/rules/rule.ts";
import { type AtEdge, type EdgeWorld, startEdge } from "./redirects/edge-redirects-world.ts";

const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};

describe("the status of a domain at the edge", () => {
  let world: EdgeWorld;
  let domain: AtEdge;
  before(async () => {
    world = await startEdge();
  });
  beforeEach(async () => {
    domain = await world.connected();
    world.edge.received.length = 0;
  });
  afterEach(() => expect(world.edge.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sql = (text: string, values: unknown[] = []) => world.service.sql.query(text, values);
  const theirs = (values: object = {}) =>
    world.edge.redirects.rule(domain.zone.id, { ...ruleOf(domain.name, INTENT), description: "by hand", ...values });
  describe("GET /edge/domains/{domain_id}/status", () => {
    it("reports the stored state, and calls nobody", async () => {
      await sql("update domains set nameservers = '{ada.ns.edge.example,old.example}', dns_checked_at = now() where id = $1", [
        domain.domainId,
      ]);
      const { status, body } = await domain.status();
      const { nameservers_checked_at, zone, ...rest } = body;
      expect([status, rest]).to.deep.equal([
        200,
        {
          domain_id: domain.domainId,
          domain_name: domain.name,
          live: false,
          checked_at: null,
          candidates: [
            {
              account_id: domain.accountId,
              account_name: (await world.row("edge_accounts", domain.accountId))["name"],
              edge_zone_id: domain.zone.id,
              status: "active",
              name_servers: domain.zone.name_servers,
            },
          ],
          expected_nameservers: domain.zone.name_servers,
          observed_nameservers: ["ada.ns.edge.example", "old.example"],
          nameservers_delegated: true,
          redirect: null,
          redirect_live: null,
          conflicts: [],
          redirects_observed_at: null,
          origin: null,
          pages_links: [],
          domain_status: "active",
          domain_redirect_url: null,
          issues: [],
          unavailable: [],
        },
      ]);
      expect(zone).to.include({
        id: domain.zoneId,
        domain_id: domain.domainId,
        domain_name: domain.name,
        status: "active",
        paused: false,
      });
      expect(Number.isNaN(Date.parse(nameservers_checked_at))).to.equal(false);
      expect(world.edge.received).to.deep.equal([]);
    });

    it("reports a domain without a zone, and one with a gone zone", async () => {
      const { id } = await world.domain(domain.tenant, "kaal.example", { status: "redirect" });
      const { body } = await domain.tenant.owner.get(`/edge/domains/${id}/status`);
      expect([body.zone, body.candidates, body.expected_nameservers, body.issues]).to.deep.equal([
        null,
        [],
        [],
        ["not_connected", "domain_says_redirect"],
      ]);
      await sql("update edge_zones set status = 'gone' where id = $1", [domain.zoneId]);
      const { body: gone } = await domain.status();
      expect([gone.zone.status, gone.candidates, gone.expected_nameservers, gone.issues]).to.deep.equal([
        "gone",
        [],
        [],
        ["not_connected"],
      ]);
    });

    it("names every zone of its name, in any account", async () => {
      const other = await world.connected({ tenant: domain.tenant });
      await sql("update edge_zones set name = $2, domain_id = null where id = $1", [other.zoneId, domain.name]);
      const { body } = await domain.status();
      expect(body.candidates.map(({ edge_zone_id: id }: { edge_zone_id: string }) => id)).to.have.members([
        domain.zone.id,
        other.zone.id,
      ]);
      expect(body.issues).to.deep.equal(["duplicate_zone"]);
    });

    it("takes the same few statements for few and for many rows", async () => {
      const { id } = await world.project(domain, "veel");
      const cost = async () => (await domain.status()).statements;
      const few = await cost();
      for (let n = 0; n < 60; n++) await world.link(domain, id, `h${n}.${domain.name}`);
      const unread = { target_url: null, status_code: null, preserve_path: null, preserve_query: null, include_subdomains: null };
      const rule = { kind: "redirect_rule", description: "", detail: "", domain_wide: false, intent: null, ...unread };
      const found = Array.from({ length: 60 }, (_, n) => ({ ...rule, rule_id: `r${n}` }));
      await sql(
        "insert into edge_observations (organisation_id, domain_id, kind, found, observed_at) values ($1, $2, 'redirect_rule', $3, now())",
        [domain.tenant.organisation.id, domain.domainId, JSON.stringify(found)],
      );
      const { body } = await domain.status();
      expect([body.pages_links.length, body.conflicts.length]).to.deep.equal([60, 60]);
      expect([await cost(), few]).to.deep.equal([7, 7]);
    });

    it("is for those who see the client, and may read at the edge", async () => {
      const { tenant } = domain;
      const other = await tenant.member("member", { grants: ["edge.zone.manage"] });
      expect((await domain.status(other)).status).to.equal(403);
      const reader = await tenant.member("member", { grants: ["edge.dns.read"] });
      expect((await domain.status(reader)).status).to.equal(200);
      const elsewhere = await tenant.company();
      await tenant.group("elders", [elsewhere.id], [reader.membershipId]);
      expect((await domain.status(reader)).status).to.equal(404);
      expect((await domain.check(reader)).status).to.equal(404);
      expect(world.edge.received).to.deep.equal([]);
    });
  });

  describe("POST /edge/domains/{domain_id}/check", () => {
    it("makes five requests, and stores the answers", async () => {
      domain.zone.paused = true;
      domain.zone.name_servers = ["NEW.ns.edge.example."];
      const { id } = await world.project(domain, "site", [`www.${domain.name}`]);
      await world.link(domain, id, `www.${domain.name}`);
      world.edge.state.record(domain.zone.id, { type: "A", name: domain.name, content: "192.0.2.1", proxied: true });
      const { status, body } = await domain.check();
      expect([status, body.live, body.unavailable]).to.deep.equal([200, true, []]);
      expect(world.edge.calls().map((call) => call.replace(/\?.*/, ""))).to.have.members([
        `GET /zones/${domain.zone.id}`,
        `GET /zones/${domain.zone.id}/rulesets/phases/http_request_dynamic_redirect/entrypoint`,
        `GET /zones/${domain.zone.id}/pagerules`,
        `GET /zones/${domain.zone.id}/dns_records`,
        `GET /accounts/${domain.zone.account}/pages/projects/site/domains`,
      ]);
      expect(body.zone).to.include({ paused: true });
      expect(body.expected_nameservers).to.deep.equal(["new.ns.edge.example"]);
      expect(body.origin).to.deep.equal({ apex_proxied: true, www_proxied: false, has_records: true });
      expect(body.issues).to.deep.equal(["zone_paused"]);
      expect(Date.now() - Date.parse(body.checked_at)).to.be.below(60_000);
      world.edge.received.length = 0;
      const { live, origin, redirect_live, ...kept } = (await domain.status()).body;
      expect([live, origin, redirect_live]).to.deep.equal([false, null, null]);
      expect(body).to.deep.include(kept);
      expect(world.edge.received).to.deep.equal([]);
    });

    it("reports the state of our rule", async () => {
      await domain.put();
      const { body: fine } = await domain.check();
      expect([fine.redirect.last_status, fine.redirect_live, fine.issues]).to.deep.equal([
        "active",
        { present: true, status_code: 301, target: "https://nieuw.example", differences: [] },
        [],
      ]);
      world.edge.state.records.length = 0;
      expect((await domain.check()).body.issues).to.deep.equal(["origin_missing", "origin_www_missing"]);
      world.edge.redirects.rules(domain.zone.id).length = 0;
      const { body: gone } = await domain.check();
      expect([gone.redirect.last_status, gone.redirect_live]).to.deep.equal([
        "missing",
        { present: false, status_code: null, target: null, differences: [] },
      ]);
      world.edge.redirects.rulesets.delete(domain.zone.id);
      expect((await domain.check()).body.issues).to.include("redirect_missing");
    });

    it("keeps rules and page rules of others by kind: unread parts stay as last seen", async () => {
      theirs({ expression: "true" });
      world.edge.redirects.forward(domain.zone.id, `*${domain.name}/oud`, "https://x.example");
      const kinds = ({ body }: { body: { conflicts: { kind: string }[] } }) => body.conflicts.map(({ kind }) => kind);
      expect(kinds(await domain.check())).to.deep.equal(["redirect_rule", "page_rule"]);
      const seen = (await domain.status()).body.redirects_observed_at;
      world.edge.redirects.clear();
      let undo = world.failing(
        domain,
        { kind: "reply", status: 403, body: '{"success":false,"errors":[{"code":10000}]}' },
        /rulesets|pagerules/,
      );
      const { body } = await domain.check();
      expect([body.unavailable, body.conflicts.length, body.redirects_observed_at]).to.deep.equal([
        ["redirect_rules", "page_rules"],
        2,
        seen,
      ]);
      expect(body.issues).to.deep.equal(["token_error"]);
      undo();
      undo = world.failing(domain, { kind: "reply", status: 500, body: "" }, /pagerules/);
      expect(kinds(await domain.check())).to.deep.equal(["page_rule"]);
      undo();
      expect(kinds(await domain.check())).to.deep.equal([]);
      expect(Date.parse((await domain.status()).body.redirects_observed_at)).to.be.above(Date.parse(seen));
    });

    const probes: [probe: string, path: RegExp][] = [
      ["zone", /\/zones\/[^/]+$/],
      ["redirect_rules", /entrypoint$/],
      ["page_rules", /pagerules$/],
      ["dns", /dns_records$/],
    ];
    for (const [probe, path] of probes)
      it(`fails softly for ${probe} alone`, async () => {
        await domain.put();
        const undo = world.failing(
          domain,
          { kind: "reply", status: 400, body: '{"success":false,"errors":[{"code":7000}]}' },
          path,
        );
        const { status, body } = await domain.check();
        undo();
        expect([status, body.unavailable]).to.deep.equal([200, [probe]]);
        expect(body.origin === null).to.equal(probe === "dns");
        expect(body.redirect_live === null).to.equal(probe === "redirect_rules");
        expect(body.zone.last_synced_at === null).to.equal(probe === "zone");
        expect(body.issues).to.deep.equal(["token_error"]);
        expect((await world.row("edge_accounts", domain.accountId))["last_error"]).to.satisfy(
          (text: string | null) => text === null || text.startsWith("HTTP 400 (code 7000)"),
        );
      });

    it("answers 200 while the provider is down, and is as old as before", async () => {
      await domain.check();
      const { checked_at: before } = (await domain.status()).body;
      const undo = world.failing(domain, { kind: "drop" });
      const { status, body } = await domain.check();
      undo();
      expect([status, body.unavailable]).to.deep.equal([200, ["zone", "redirect_rules", "page_rules", "dns"]]);
      expect([body.checked_at, body.issues]).to.deep.equal([before, ["token_error"]]);
    });

    it("marks an account whose token is refused, and takes that back once a zone is read", async () => {
      const account = () => world.row("edge_accounts", domain.accountId);
      world.edge.tokens.set(domain.token, "revoked");
      await domain.check();
      expect((await account())["status"]).to.equal("error");
      world.edge.tokens.delete(domain.token);
      await domain.check();
      expect(await account()).to.include({ status: "active", last_error: null });
      await sql("update edge_accounts set api_token = 'v1.00000000.x' where id = $1", [domain.accountId]);
      const { body } = await domain.check();
      expect(body.unavailable).to.deep.equal(["zone", "redirect_rules", "page_rules", "dns"]);
    });

    it("does not ask about a zone that is gone", async () => {
      await sql("update edge_zones set status = 'gone' where id = $1", [domain.zoneId]);
      const { body } = await domain.check();
      expect([body.live, body.issues]).to.deep.equal([true, ["not_connected"]]);
      expect(world.edge.received).to.deep.equal([]);
    });
  });
});
