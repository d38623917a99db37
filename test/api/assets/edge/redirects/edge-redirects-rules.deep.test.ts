import { expect } from "chai";
import { MARKER, ruleOf, targetOf } from "../../../../../integrations/edge/redirects/rules/rule.ts";
import type { SimulatedRule } from "../../../../simulators/edge/rulesets.ts";
import { invalidOn, refusalOf } from "../../../clients/companies/company-records.ts";
import { type AtEdge, type EdgeWorld, RULES, startEdge } from "./edge-redirects-world.ts";

const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};
const NOWHERE = "0123456789abcdef0123456789abcdef";

describe("/edge/domains/{domain_id}/redirect/rules/{rule_id}", () => {
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
  const own = async (): Promise<SimulatedRule> => {
    await domain.put({ ...INTENT, ensure_origin: false });
    return rules().at(-1) as SimulatedRule;
  };
  const theirs = (values: Partial<SimulatedRule> = {}) =>
    world.edge.redirects.rule(domain.zone.id, { ...ruleOf(domain.name, INTENT), description: "by hand", ...values });
  const edit = (id: string, body: object) => domain.tenant.owner.put(domain.at(`redirect/rules/${id}`), body);
  const remove = (id: string) => domain.tenant.owner.delete(domain.at(`redirect/rules/${id}`));

  describe("PUT", () => {
    it("changes our rule's destination, and keeps what it matches (worked example 7)", async () => {
      const rule = await own();
      const redirect = (rule.action_parameters as ReturnType<typeof targetOf>).from_value;
      [redirect.status_code, rule.enabled] = [302, false];
      const drifted = (await domain.check()).body;
      expect([drifted.redirect.last_status, drifted.redirect_live.differences]).to.deep.equal([
        "drift",
        ["status_code", "enabled"],
      ]);
      expect(drifted.issues).to.include("redirect_drift");
      expect(await stored()).to.include({ status_code: 301, last_status: "drift" });
      world.writes();
      await domain.put({ ...INTENT, ensure_origin: false });
      expect(world.writes()).to.deep.equal([`PATCH ${RULES}/*`]);
      const back = (await domain.check()).body;
      expect([back.redirect.last_status, back.redirect_live.differences]).to.deep.equal(["active", []]);

      const narrowed = `(http.host eq "${domain.name}")`;
      rule.expression = narrowed;
      expect((await domain.check()).body.redirect_live.differences).to.deep.equal(["expression"]);
      const { status, body } = await edit(rule.id, { target_url: "https://ander.example", include_subdomains: false });
      expect([status, body.live, body.redirect.last_status]).to.deep.equal([200, true, "drift"]);
      expect(body.redirect_live).to.deep.equal({
        present: true,
        status_code: 301,
        target: "https://ander.example",
        differences: ["expression"],
      });
      expect(rules()[0]).to.include({ expression: narrowed, description: MARKER, enabled: true });
      expect(await stored()).to.include({ target_url: "https://ander.example", include_subdomains: true });
      expect(await world.row("domains", domain.domainId)).to.include({ redirect_url: "https://ander.example" });

      const { body: set } = await domain.put({ target_url: "https://ander.example" });
      expect([set.include_subdomains, set.last_status]).to.deep.equal([true, "active"]);
      expect(rules()[0]?.expression).to.equal(ruleOf(domain.name, INTENT).expression);
      const reported = { target: "https://ander.example", status_code: 301, zone: domain.name, rule_id: rule.id, managed: true };
      expect(await world.trail(domain)).to.deep.include(["edge.redirect_rule_edited", reported]);
    });

    it("changes another's destination without adopting it, whatever it matches, and on or off as before", async () => {
      const expression = 'http.request.uri.path contains "/oud" and\n  lower(http.host) ne "x-y.example"';
      const rule = theirs({ expression, enabled: false });
      const body = { target_url: "https://ander.example/", status_code: 307, preserve_path: false, preserve_query: false };
      const { status, body: answer } = await edit(rule.id, body);
      expect([status, answer.redirect]).to.deep.equal([200, null]);
      const { id, version: _, ...held } = rules()[0] as SimulatedRule;
      expect([id, held]).to.deep.equal([
        rule.id,
        { action: "redirect", expression, enabled: false, description: "by hand", action_parameters: targetOf(body) },
      ]);
      expect(answer.conflicts).to.containSubset([
        { rule_id: rule.id, detail: expression, target_url: "https://ander.example/", status_code: 307, preserve_query: false },
      ]);
      expect(await world.row("domains", domain.domainId)).to.include({ status: "active" });
      expect(await world.trail(domain)).to.deep.equal([
        [
          "edge.redirect_rule_edited",
          { target: "https://ander.example/", status_code: 307, zone: domain.name, rule_id: rule.id, managed: false },
        ],
      ]);
    });

    it("reads from the expression how far the target must be", async () => {
      const narrow = theirs({ expression: `lower(http.host)  eq "${domain.name}"` });
      const other = theirs({ expression: 'http.request.uri.path eq "/x"' });
      const loop = [422, "edge_redirect_loop", { target_url: "errors.edge_redirect_loop" }];
      const below = { target_url: `https://www.${domain.name}`, include_subdomains: true };
      expect((await edit(narrow.id, below)).status).to.equal(200);
      expect(refusalOf(await edit(narrow.id, { target_url: `https://${domain.name}` }))).to.deep.equal(loop);
      expect(refusalOf(await edit(other.id, { ...below, include_subdomains: false }))).to.deep.equal(loop);
      expect(world.writes()).to.deep.equal([`PATCH ${RULES}/*`]);
    });

    it("refuses rules that are not redirects, or match in an unreadable way", async () => {
      const rewrite = theirs({ action: "rewrite", deviates: true });
      const blank = theirs({ expression: " " });
      const odd = theirs({ expression: 7 as never, deviates: true });
      expect(refusalOf(await edit(rewrite.id, INTENT))).to.deep.equal([409, "edge_rule_not_redirect", null]);
      for (const { id } of [blank, odd])
        expect(refusalOf(await edit(id, INTENT))).to.deep.equal([409, "edge_rule_unreadable", null]);
      expect(world.writes()).to.deep.equal([]);
    });

    it("is 404 for a rule that is not of this zone", async () => {
      const other = await world.connected({ tenant: domain.tenant });
      const elsewhere = world.edge.redirects.rule(other.zone.id, ruleOf(other.name, INTENT));
      for (const id of [NOWHERE, elsewhere.id]) expect((await edit(id, INTENT)).status).to.equal(404);
      theirs();
      for (const id of [NOWHERE, elsewhere.id]) expect((await edit(id, INTENT)).status).to.equal(404);
      expect(world.writes()).to.deep.equal([]);
    });

    it("refuses a bad body before any call", async () => {
      const bad: [object, Record<string, string>][] = [
        [{}, { target_url: "errors.required" }],
        [{ target_url: "ander.example" }, { target_url: "errors.edge_target_absolute" }],
        [{ ...INTENT, status_code: 300 }, { status_code: "errors.validation" }],
      ];
      for (const [body, fields] of bad) expect(refusalOf(await edit(NOWHERE, body))).to.deep.equal(invalidOn(fields));
      expect(world.edge.received).to.deep.equal([]);
    });
  });

  describe("DELETE", () => {
    it("removes another's rule, and answers a fresh check", async () => {
      const [rule, kept] = [theirs(), theirs({ expression: "true" })];
      await domain.check();
      const { status, body } = await remove(rule.id);
      expect([status, body.live, body.conflicts.map(({ rule_id }: { rule_id: string }) => rule_id)]).to.deep.equal([
        200,
        true,
        [kept.id],
      ]);
      expect(rules().map(({ id }) => id)).to.deep.equal([kept.id]);
      expect(await world.trail(domain)).to.deep.include(["edge.redirect_rule_deleted", { zone: domain.name, rule_id: rule.id }]);
    });

    it("has the domain stop following another's rule that it removes", async () => {
      const rule = theirs();
      await domain.check();
      const says = async () => {
        const { status, redirect_url } = await world.row("domains", domain.domainId);
        return [status, redirect_url];
      };
      expect(await says()).to.deep.equal(["redirect", INTENT.target_url]);
      const { body } = await remove(rule.id);
      expect(await says()).to.deep.equal(["active", null]);
      expect([body.domain_status, body.domain_redirect_url, body.issues]).to.deep.equal(["active", null, []]);
    });

    it("has it stop also where no check came before, and where the check after it fails", async () => {
      const rule = theirs();
      const set = "update domains set status = 'redirect', redirect_url = $2 where id = $1";
      await world.service.sql.query(set, [domain.domainId, INTENT.target_url]);
      let reads = 0;
      const undo = world.edge.failWhen(({ method, path }) => method === "GET" && path.endsWith("/entrypoint") && ++reads > 1, {
        kind: "reply",
        status: 500,
        body: "",
      });
      await remove(rule.id);
      undo();
      expect(await world.row("domains", domain.domainId)).to.include({ status: "active", redirect_url: null });
    });

    it("ends our redirect with its rule", async () => {
      const rule = await own();
      const { status, body } = await remove(rule.id);
      expect([status, body.redirect, body.domain_status, body.domain_redirect_url]).to.deep.equal([200, null, "active", null]);
      expect([rules(), await stored()]).to.deep.equal([[], undefined]);
      expect(await world.trail(domain)).to.deep.include([
        "edge.redirect_removed",
        { target: INTENT.target_url, zone: domain.name },
      ]);
    });

    it("removes an adopted rule too: the caller points at it", async () => {
      const rule = theirs();
      await domain.tenant.owner.post(domain.at("redirect/adopt"), { ...INTENT, rule_id: rule.id });
      expect((await remove(rule.id)).body.redirect).to.equal(null);
      expect(rules()).to.deep.equal([]);
    });

    it("ends our redirect also where its rule is gone already", async () => {
      const rule = await own();
      rules().length = 0;
      expect((await remove(rule.id)).body.redirect).to.equal(null);
    });

    it("is 404 for a rule that is not of this zone, and for a domain of another organisation", async () => {
      expect((await remove(NOWHERE)).status).to.equal(404);
      const rule = theirs();
      expect((await remove(NOWHERE)).status).to.equal(404);
      const other = await world.connected();
      expect((await other.tenant.owner.delete(domain.at(`redirect/rules/${rule.id}`))).status).to.equal(404);
      expect(rules()).to.have.length(1);
    });

    it("does not show a rule that is gone where the check after it fails", async () => {
      const rule = theirs();
      await domain.check();
      let reads = 0;
      const undo = world.edge.failWhen(
        ({ method, path }) => method === "GET" && path.includes(domain.zone.id) && path.endsWith("/entrypoint") && ++reads > 1,
        { kind: "reply", status: 500, body: "" },
      );
      const { body } = await remove(rule.id);
      undo();
      expect([body.unavailable, body.conflicts]).to.deep.equal([["redirect_rules"], []]);
    });
  });
});
