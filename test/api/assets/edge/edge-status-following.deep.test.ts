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

describe("what follows from a check at the edge", () => {
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
  const says = async () => {
    const { status, redirect_url } = await world.row("domains", domain.domainId);
    return [status, redirect_url];
  };

  describe("a domain follows its zone", () => {
    it("to where one rule takes all of it, and back when that is gone", async () => {
      const rule = theirs();
      const { body } = await domain.check();
      expect(await says()).to.deep.equal(["redirect", INTENT.target_url]);
      expect([body.domain_status, body.domain_redirect_url, body.issues]).to.deep.equal(["redirect", INTENT.target_url, []]);
      const [[action, payload] = []] = await world.trail(domain);
      expect([action, (payload as { changes: object }).changes]).to.deep.equal([
        "updated",
        { status: { from: "active", to: "redirect" }, redirect_url: { from: null, to: INTENT.target_url } },
      ]);
      rule.expression = "true";
      await domain.check();
      expect(await says()).to.deep.equal(["active", null]);
    });

    it("nowhere where several do, or where it was set by hand", async () => {
      theirs();
      theirs({ action_parameters: ruleOf("x", { ...INTENT, target_url: "https://b.example" }).action_parameters });
      await domain.check();
      expect(await says()).to.deep.equal(["active", null]);
      world.edge.redirects.clear();
      await sql("update domains set status = 'redirect', redirect_url = 'https://hand.example' where id = $1", [domain.domainId]);
      const { body } = await domain.check();
      expect(await says()).to.deep.equal(["redirect", "https://hand.example"]);
      expect(body.issues).to.deep.equal(["domain_says_redirect"]);
    });

    it("with a renewal date, if its status begins to be billed", async () => {
      const inactive = "update domains set status = 'inactive', redirect_url = null, next_invoice_date = null where id = $1";
      const date = async () => (await domain.tenant.owner.get(`/domains/${domain.domainId}`)).body.next_invoice_date;
      const { body: other } = await domain.tenant.owner.post("/domains", {
        ...{ name: `other-${domain.name}`, company_id: domain.companyId, start_date: "2026-01-01" },
      });
      await sql(inactive, [domain.domainId]);
      const rule = theirs();
      await domain.check();
      expect([await says(), await date()]).to.deep.equal([["redirect", INTENT.target_url], other.next_invoice_date]);
      await sql(inactive, [domain.domainId]);
      rule.expression = "true";
      expect((await domain.put(INTENT)).status).to.equal(200);
      expect([await says(), await date()]).to.deep.equal([["redirect", INTENT.target_url], other.next_invoice_date]);
      const [, line] = (await world.trail(domain)).findLast(([action]) => action === "updated") ?? [];
      expect((line as { changes: object }).changes).to.have.property("next_invoice_date");
    });

    for (const target of ["/elsewhere", "javascript:alert(1)"])
      it(`not to '${target}', which no domain can have as its destination`, async () => {
        theirs({ action_parameters: ruleOf("x", { ...INTENT, target_url: target, preserve_path: false }).action_parameters });
        const { body } = await domain.check();
        expect([await says(), body.conflicts[0].target_url]).to.deep.equal([["active", null], target]);
      });

    it("whatever characters a foreign rule is described with", async () => {
      theirs({ description: "a\u0000b\ud800c" });
      const { status, body } = await domain.check();
      expect([status, body.unavailable, body.conflicts[0].description]).to.deep.equal([200, [], "ab\ufffdc"]);
    });

    it("only for those who may change domains", async () => {
      theirs();
      const reader = await domain.tenant.member("member", { grants: ["edge.dns.read"] });
      const { body } = await domain.check(reader);
      expect(await says()).to.deep.equal(["active", null]);
      expect(body.issues).to.deep.equal(["edge_says_redirect"]);
      const writer = await domain.tenant.member("member", { grants: ["edge.dns.read", "domains.domain.write"] });
      await domain.check(writer);
      expect(await says()).to.deep.equal(["redirect", INTENT.target_url]);
    });

    it("back also where the end of the rule was first seen by one who may not change domains", async () => {
      const rule = theirs();
      await domain.check();
      const reader = await domain.tenant.member("member", { grants: ["edge.dns.read"] });
      rule.expression = "true";
      for (let n = 0; n < 2; n++) {
        await domain.check(reader);
        expect(await says()).to.deep.equal(["redirect", INTENT.target_url]);
      }
      await domain.check();
      expect(await says()).to.deep.equal(["active", null]);
    });

    it("not while our own redirect exists, and not if the rules were not read", async () => {
      theirs({ action_parameters: ruleOf("x", { ...INTENT, target_url: "https://b.example" }).action_parameters });
      await domain.put();
      const { body } = await domain.check();
      expect(await says()).to.deep.equal(["redirect", INTENT.target_url]);
      expect(body.issues).to.deep.equal(["redirect_conflict"]);
      const other = await world.connected();
      world.edge.redirects.rule(other.zone.id, ruleOf(other.name, INTENT));
      const undo = world.failing(other, { kind: "reply", status: 500, body: "" }, /entrypoint/);
      await other.check();
      undo();
      expect(await world.row("domains", other.domainId)).to.include({ status: "active" });
    });
  });

  describe("page links", () => {
    const shown = async () => {
      const { body } = await domain.check();
      return body;
    };
    const linkOf = (id: string) => world.row("edge_page_links", id);

    it("get the provider's status and its words, and are missing since the first time", async () => {
      const { id, hostnames } = await world.project(domain, "a-site", [`www.${domain.name}`, `shop.${domain.name}`]);
      const www = await world.link(domain, id, `www.${domain.name}`, { status: "pending", missing_at: "2026-01-01" });
      const shop = await world.link(domain, id, `shop.${domain.name}`);
      hostnames.set(`shop.${domain.name}`, "blocked");
      const { issues } = await shown();
      expect(issues).to.deep.equal(["pages_pending"]);
      expect(await linkOf(www)).to.include({ status: "active", missing_at: null });
      expect(await linkOf(shop)).to.include({ status: "blocked" });
      hostnames.delete(`www.${domain.name}`);
      expect((await shown()).issues).to.deep.equal(["pages_missing", "pages_pending"]);
      const { missing_at } = await linkOf(www);
      await shown();
      expect((await linkOf(www))["missing_at"]).to.deep.equal(missing_at);
      expect(missing_at).not.to.equal(null);
    });

    it("are adopted even with a known one, if no domain is closer", async () => {
      const hosts = [domain.name, `a.b.${domain.name}`, `x.nader.${domain.name}`, "elders.example", `niet${domain.name}`];
      const { id } = await world.project(domain, "b-site", [...hosts, `www.${domain.name}`]);
      await world.link(domain, id, `www.${domain.name}`);
      await world.domain(domain.tenant, `nader.${domain.name}`);
      const body = await shown();
      expect(body.pages_links.map(({ hostname }: { hostname: string }) => hostname)).to.have.members([
        `www.${domain.name}`,
        domain.name,
        `a.b.${domain.name}`,
      ]);
      const adopted = body.pages_links.find(({ hostname }: { hostname: string }) => hostname === domain.name);
      expect(adopted).to.include({ project_id: id, project_name: "b-site", status: "active", missing_at: null });
      expect(adopted.discovered_at).not.to.equal(null);
      expect((await shown()).pages_links).to.have.length(3);
      const reported = (await world.trail(domain)).filter(([action]) => action === "edge.pages_linked");
      expect(reported).to.have.deep.members([
        ["edge.pages_linked", { project: "b-site", hostname: domain.name }],
        ["edge.pages_linked", { project: "b-site", hostname: `a.b.${domain.name}` }],
      ]);
    });

    it("are not judged where the site cannot be read, and asked for without a zone too", async () => {
      const { id } = await world.project(domain, "c-site");
      const link = await world.link(domain, id, `www.${domain.name}`, { status: "active" });
      await sql("update edge_zones set domain_id = null where id = $1", [domain.zoneId]);
      world.edge.deny(new RegExp(`^GET /accounts/${domain.zone.account}/pages`));
      const body = await shown();
      expect([body.unavailable, body.issues, body.checked_at]).to.deep.equal([["pages"], ["not_connected", "token_error"], null]);
      expect(await linkOf(link)).to.include({ status: "active", missing_at: null });
      world.edge.state.project(domain.zone.account, "d-site");
      const other = await world.project(domain, "e-site", [`e.${domain.name}`]);
      await world.link(domain, other.id, `e.${domain.name}`);
    });

    it("ask each site once, however many hostnames of it are linked", async () => {
      const [one, two] = [await world.project(domain, "f-site"), await world.project(domain, "g-site")];
      for (const [{ id }, host] of [
        [one, "a"],
        [one, "b"],
        [two, "c"],
      ] as const)
        await world.link(domain, id, `${host}.${domain.name}`);
      await shown();
      expect(world.edge.calls().filter((call) => call.includes("/pages/projects/"))).to.have.length(2);
    });
  });
});
