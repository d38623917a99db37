import { expect } from "chai";
import { ruleOf } from "../../../../../integrations/edge/redirects/rules/rule.ts";
import { invalidOn, refusalOf } from "../../../clients/companies/company-records.ts";
import { type AtEdge, type EdgeWorld, RULES, startEdge } from "./edge-redirects-world.ts";

const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 302,
  preserve_path: false,
  preserve_query: true,
  include_subdomains: true,
};

describe("redirects that others made", () => {
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

  const rules = () => world.edge.redirects.rules(domain.zone.id);
  const stored = () => world.row("edge_redirects", domain.domainId, "domain_id");
  const theirs = (change: object = {}) =>
    world.edge.redirects.rule(domain.zone.id, { ...ruleOf(domain.name, INTENT), description: "by hand", ...change });
  const adopt = (body: object) => domain.tenant.owner.post(domain.at("redirect/adopt"), body);
  const remove = () => domain.tenant.owner.delete(domain.at("redirect"));

  describe("POST /edge/domains/{domain_id}/redirect/adopt", () => {
    it("takes a rule into the books by one read, and writes nothing at the provider", async () => {
      const { id: rule_id } = theirs();
      const { status, body } = await adopt({ ...INTENT, rule_id });
      const { id, ...rest } = body;
      expect([status, rest]).to.deep.equal([
        200,
        {
          ...INTENT,
          zone_id: domain.zoneId,
          domain_id: domain.domainId,
          last_status: "active",
          last_error: null,
          last_checked_at: null,
          last_pushed_at: null,
        },
      ]);
      expect(world.edge.calls()).to.have.length(1);
      expect(world.writes()).to.deep.equal([]);
      expect(await stored()).to.include({ id, rule_id, adopted: true });
      expect(await world.row("domains", domain.domainId)).to.include({ status: "redirect", redirect_url: INTENT.target_url });
      const reported = { target: INTENT.target_url, status_code: 302, zone: domain.name };
      expect(await world.trail(domain)).to.deep.include(["edge.redirect_adopted", reported]);
    });

    it("adopts the rule that a check offered", async () => {
      theirs();
      const [conflict] = (await domain.check()).body.conflicts;
      expect((await adopt({ ...conflict.intent, rule_id: conflict.rule_id })).status).to.equal(200);
      const { body } = await domain.status();
      expect([body.conflicts, body.issues]).to.deep.equal([[], []]);
    });

    it("refuses a rule that is not there", async () => {
      expect((await adopt({ ...INTENT, rule_id: "0123456789abcdef0123456789abcdef" })).status).to.equal(404);
      theirs();
      expect((await adopt({ ...INTENT, rule_id: "0123456789abcdef0123456789abcdef" })).status).to.equal(404);
      expect(await stored()).to.equal(undefined);
    });

    it("refuses a rule that differs from the body, naming each difference", async () => {
      const { id: rule_id } = theirs({ enabled: false });
      const body = { target_url: "https://ander.example", status_code: 301, preserve_path: false, include_subdomains: false };
      const differs = "errors.edge_redirect_differs";
      const fields = { expression: differs, target_url: differs, status_code: differs, enabled: differs };
      expect(refusalOf(await adopt({ ...body, rule_id }))).to.deep.equal([409, "edge_redirect_differs", fields]);
    });

    it("refuses while its own rule is live, and takes another once that is gone", async () => {
      await domain.put({ ...INTENT, ensure_origin: false });
      const [own] = rules();
      const { id: rule_id } = theirs();
      for (const id of [rule_id, own?.id])
        expect(refusalOf(await adopt({ ...INTENT, rule_id: id }))).to.deep.equal([409, "edge_redirect_owned", null]);
      rules().shift();
      expect((await adopt({ ...INTENT, rule_id })).body.last_pushed_at).to.equal(null);
      expect(await stored()).to.include({ rule_id, adopted: true });
    });

    it("refuses bodies as PUT does", async () => {
      expect(refusalOf(await adopt(INTENT))).to.deep.equal(invalidOn({ rule_id: "errors.required" }));
      expect(refusalOf(await adopt({ ...INTENT, rule_id: "x".repeat(65) }))).to.deep.equal(
        invalidOn({ rule_id: "errors.validation" }),
      );
      const back = await adopt({ ...INTENT, target_url: `https://x.${domain.name}`, rule_id: "x" });
      expect(refusalOf(back)).to.deep.equal([422, "edge_redirect_loop", { target_url: "errors.edge_redirect_loop" }]);
      expect(world.edge.received).to.deep.equal([]);
    });
  });

  describe("DELETE /edge/domains/{domain_id}/redirect", () => {
    it("is 404 without one", async () => {
      expect((await remove()).status).to.equal(404);
      expect(world.edge.received).to.deep.equal([]);
    });

    it("removes the rule it made, and the domain is active again", async () => {
      const other = theirs({ expression: 'http.host eq "shop.example"' });
      await domain.put();
      world.writes();
      expect((await remove()).status).to.equal(204);
      expect(world.writes()).to.deep.equal([`DELETE ${RULES}/*`]);
      expect(rules().map(({ id }) => id)).to.deep.equal([other.id]);
      expect(await stored()).to.equal(undefined);
      expect(await world.row("domains", domain.domainId)).to.include({ status: "active", redirect_url: null });
      expect(await world.trail(domain)).to.deep.include([
        "edge.redirect_removed",
        { target: INTENT.target_url, zone: domain.name },
      ]);
    });

    const elsewhere: [what: string, change: string][] = [
      ["status", "status = 'parked'"],
      ["address", "redirect_url = 'https://elders.example'"],
    ];
    for (const [what, change] of elsewhere)
      it(`leaves a domain alone that has got another ${what} meanwhile`, async () => {
        await domain.put();
        await world.service.sql.query(`update domains set ${change} where id = $1`, [domain.domainId]);
        const before = await world.row("domains", domain.domainId);
        expect((await remove()).status).to.equal(204);
        const { status, redirect_url } = await world.row("domains", domain.domainId);
        expect([status, redirect_url]).to.deep.equal([before["status"], before["redirect_url"]]);
      });

    it("is fine where the rule is gone already", async () => {
      await domain.put();
      rules().length = 0;
      expect((await remove()).status).to.equal(204);
      expect(await stored()).to.equal(undefined);
    });

    it("keeps the redirect where the provider refuses, with its words", async () => {
      await domain.put();
      const undo = world.failing(domain, { kind: "reply", status: 500, body: "out of order" }, /^DELETE/);
      expect(refusalOf(await remove())).to.deep.equal([502, "edge_request_failed", null]);
      expect((await stored())["last_error"]).to.match(/^HTTP 500/);
      expect(await world.row("domains", domain.domainId)).to.include({ status: "redirect" });
      undo();
      expect((await remove()).status).to.equal(204);
    });

    it("leaves an adopted rule where it is, and the next check shows it as another's", async () => {
      const { id: rule_id } = theirs();
      await adopt({ ...INTENT, rule_id });
      world.writes();
      expect((await remove()).status).to.equal(204);
      expect(world.writes()).to.deep.equal([]);
      expect(rules().map(({ id }) => id)).to.deep.equal([rule_id]);
      const { body } = await domain.check();
      expect([body.redirect, body.conflicts.map(({ rule_id: id }: { rule_id: string }) => id)]).to.deep.equal([null, [rule_id]]);
    });

    it("leaves an adopted rule also after it was led elsewhere by PUT", async () => {
      const { id: rule_id } = theirs();
      await adopt({ ...INTENT, rule_id });
      await domain.put({ ...INTENT, target_url: "https://ander.example" });
      expect((await remove()).status).to.equal(204);
      expect(rules().map(({ id }) => id)).to.deep.equal([rule_id]);
    });

    it("removes it where it was made, after the domain got another zone", async () => {
      await domain.put({ ...INTENT, ensure_origin: false });
      const { sql } = world.service;
      await sql.query("update edge_zones set domain_id = null where id = $1", [domain.zoneId]);
      expect(refusalOf(await remove())).to.deep.equal([409, "edge_not_connected", null]);
      const other = await world.connected({ tenant: domain.tenant });
      await sql.query("update edge_zones set domain_id = $2 where id = $1", [other.zoneId, domain.domainId]);
      expect((await remove()).status).to.equal(204);
      expect(rules()).to.deep.equal([]);
    });

    it("refuses a state that has moved on", async () => {
      await domain.put();
      world.edge.received.length = 0;
      const { owner } = domain.tenant;
      expect((await owner.delete(domain.at("redirect"), { headers: { "If-Match": '"99"' } })).status).to.equal(412);
      expect(world.edge.received).to.deep.equal([]);
      expect((await owner.delete(domain.at("redirect"), { headers: { "If-Match": "*" } })).status).to.equal(204);
    });
  });
});
