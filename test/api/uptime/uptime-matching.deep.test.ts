import { expect } from "chai";
import type { Tenant } from "../../support/service.ts";
import { type Row, startUptime, type UptimeWorld } from "./uptime-world.ts";

describe("what monitors watch (workspace-reporting §5, Matching, link and website status)", function () {
  this.timeout(60_000);
  let world: UptimeWorld;
  let tenant: Tenant;
  let linked: Row;
  let number = 0;
  before(async () => {
    world = await startUptime();
  });
  beforeEach(async () => {
    tenant = await world.service.tenant();
    linked = await world.linked(tenant);
  });
  after(() => world.stop());

  const monitor = async (values: Record<string, unknown> = {}): Promise<Row> => {
    number += 1;
    const sent = {
      instance_id: linked.id,
      remote_id: number,
      name: `M${number}`,
      target: `https://m${number}.example/`,
      ...values,
    };
    const answer = await tenant.owner.post("/uptime/monitors", sent);
    if (answer.status !== 201) throw new Error(`no monitor: ${answer.text}`);
    return answer.body;
  };
  const read = async ({ id }: Row): Promise<Row> => (await tenant.owner.get(`/uptime/monitors/${id}`)).body;
  const proposals = async (caller = tenant.owner): Promise<Row[]> => (await caller.get("/uptime/links/proposals")).body;
  const proposed = async ({ id }: Row): Promise<Row> => (await proposals()).find(({ monitor_id }) => monitor_id === id) as Row;
  const apply = async (body: object = {}): Promise<Row> => (await tenant.owner.post("/uptime/links/apply", body)).body;
  const link = (row: Row, entity_type: unknown, entity_id: unknown) =>
    tenant.owner.put(`/uptime/monitors/${row.id}/link`, { entity_type, entity_id });

  describe("matching", () => {
    it("proposes, never links: a website of exactly the host, an apex being its www, before the domains it is in", async () => {
      const { websiteId } = await world.site(tenant, "shop.nl");
      await world.site(tenant, "bare.nl", undefined, false);
      const rows = {
        apex: await monitor({ target: "https://shop.nl/cart?x=1" }),
        www: await monitor({ target: "https://WWW.shop.nl" }),
        host: await monitor({ monitor_type: "ping", target: "www.shop.nl" }),
        below: await monitor({ target: "https://api.shop.nl" }),
        bare: await monitor({ target: "https://www.bare.nl" }),
        none: await monitor({ target: "https://elsewhere.nl" }),
        address: await monitor({ monitor_type: "ping", target: "192.0.2.7" }),
      };
      for (const name of ["apex", "www", "host"] as const) {
        const { link_status, candidates } = await proposed(rows[name]);
        expect([link_status, candidates.map(({ entity_type, entity_id }: Row) => [entity_type, entity_id])], name).to.deep.equal([
          "matched",
          [["website", websiteId]],
        ]);
      }
      expect(
        (await proposed(rows.below)).candidates.map(({ entity_type, entity_name }: Row) => [entity_type, entity_name]),
      ).to.deep.equal([["domain", "shop.nl"]]);
      expect((await proposed(rows.bare)).candidates.map(({ entity_name }: Row) => entity_name)).to.deep.equal(["bare.nl"]);
      expect((await proposed(rows.none)).link_status).to.equal("unmatched");
      const [one, all] = [
        await tenant.owner.get("/uptime/links/proposals?limit=1"),
        await tenant.owner.get("/uptime/links/proposals"),
      ];
      expect([one.body.length, all.body.length > 1, all.statements]).to.deep.equal([1, true, one.statements]);
      expect(await proposed(rows.address)).to.equal(undefined);
      for (const [name, row] of Object.entries(rows))
        expect([(await read(row))["link_status"], (await read(row))["entity_id"]], name).to.deep.equal([
          ["none", "address"].includes(name) ? "unmatched" : "matched",
          null,
        ]);
    });

    it("is not ambiguous if a website has exactly the host, regardless of its domains", async () => {
      const { websiteId } = await world.site(tenant, "app.host.nl");
      await world.site(tenant, "host.nl");
      const row = await monitor({ target: "https://app.host.nl" });
      expect((await proposed(row)).candidates.map(({ entity_id }: Row) => entity_id)).to.deep.equal([websiteId]);
      expect(await read(row)).to.include({ link_status: "matched" });
    });

    it("is ambiguous with several candidates; links/apply confirms only single ones and counts the rest as skipped", async () => {
      const { websiteId } = await world.site(tenant, "one.nl");
      await world.site(tenant, "deep.nl", undefined, false);
      await world.site(tenant, "very.deep.nl", undefined, false);
      const [single, several, none] = [
        await monitor({ target: "https://one.nl" }),
        await monitor({ target: "https://x.very.deep.nl" }),
        await monitor({ target: "https://nowhere.nl" }),
      ];
      const { link_status, candidates } = await proposed(several);
      expect([link_status, candidates.map(({ entity_name }: Row) => entity_name)]).to.deep.equal([
        "ambiguous",
        ["very.deep.nl", "deep.nl"],
      ]);
      expect(await read(several)).to.include({ link_status: "ambiguous" });
      expect(await apply()).to.deep.equal({ linked: 1, skipped: 2 });
      expect(await read(single)).to.include({ link_status: "linked", entity_type: "website", entity_id: websiteId });
      expect(await apply({ monitor_ids: [single.id, none.id, crypto.randomUUID()] })).to.deep.equal({ linked: 0, skipped: 3 });
      const trail = (await tenant.owner.get(`/activity?entity_type=uptime_monitor&entity_id=${single.id}`)).text;
      expect(trail).to.include("website_id");
    });

    it("proposes nothing of a client that the caller does not see", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      await world.site(tenant, "seen.nl", seen.id);
      await world.site(tenant, "hidden.nl", hidden.id);
      const rows = [await monitor({ target: "https://seen.nl" }), await monitor({ target: "https://hidden.nl" })];
      const restricted = await tenant.member("admin");
      await tenant.group("Some", [seen.id], [restricted.membershipId]);
      const found = await proposals(restricted);
      expect(found.map(({ monitor_id, link_status }) => [monitor_id, link_status])).to.have.deep.members([
        [rows[0]?.id, "matched"],
        [rows[1]?.id, "unmatched"],
      ]);
      expect((await restricted.get(`/uptime/monitors/${rows[1]?.id}`)).body.link_status).to.equal("unmatched");
    });
  });

  describe("PUT /uptime/monitors/{id}/link", () => {
    it("sets, reads back, filters by and removes a link, for websites, domains and hosting alike", async () => {
      const company = await tenant.company();
      const { domainId, websiteId } = await world.site(tenant, "linked.nl", company.id);
      const hosting = (await tenant.owner.post("/hosting", { name: "web 1", company_id: company.id })).body;
      const names = { website: "linked.nl", domain: "linked.nl", hosting: "web 1" };
      for (const [entity_type, entity_id] of Object.entries({ website: websiteId, domain: domainId, hosting: hosting.id })) {
        const row = await monitor();
        const answer = await link(row, entity_type, entity_id);
        expect([answer.status, answer.body.link_status], entity_type).to.deep.equal([200, "linked"]);
        expect(await read(row)).to.include({
          entity_type,
          entity_id,
          entity_name: names[entity_type as keyof typeof names],
          company_id: company.id,
          company_given: false,
        });
        const found = (await tenant.owner.get(`/uptime/monitors?entity_type=${entity_type}&entity_id=${entity_id}`)).body;
        expect(found.items.map(({ id }: Row) => id)).to.deep.equal([row.id]);
        expect((await link(row, null, null)).body).to.include({ entity_type: null, entity_id: null, company_id: null });
      }
    });

    it("needs both or neither: 422 `errors.uptime_link_incomplete`; 404 for a missing record", async () => {
      const row = await monitor();
      const { websiteId } = await world.site(tenant, "half.nl");
      for (const [type, id, field] of [
        ["website", null, "entity_id"],
        [null, websiteId, "entity_type"],
      ]) {
        const { status, body } = await link(row, type, id);
        expect([status, body.error.message, body.error.fields]).to.deep.equal([
          422,
          "errors.uptime_link_incomplete",
          { [field as string]: "errors.uptime_link_incomplete" },
        ]);
      }
      expect((await link(row, "website", crypto.randomUUID())).status).to.equal(404);
    });

    it("derives the client from the anchor unless given, and follows it when the domain moves", async () => {
      const [from, to, given] = [await tenant.company(), await tenant.company(), await tenant.company()];
      const { domainId, websiteId } = await world.site(tenant, "moves.nl", from.id);
      const follows = await monitor({ entity_type: "website", entity_id: websiteId });
      const stays = await monitor({ entity_type: "website", entity_id: websiteId, company_id: given.id });
      expect(follows["company_id"]).to.equal(from.id);
      await tenant.owner.patch(`/domains/${domainId}`, { company_id: to.id });
      expect((await read(follows))["company_id"]).to.equal(to.id);
      expect(await read(stays)).to.include({ company_id: given.id, company_given: true });
      await tenant.owner.delete(`/websites/${websiteId}`);
      expect(await read(follows)).to.include({ entity_id: null, company_id: null });
    });

    it("follows the anchor again once the given client is deleted, and is a changed record", async () => {
      const [owner, given, other] = [await tenant.company(), await tenant.company(), await tenant.company()];
      const { domainId, websiteId } = await world.site(tenant, "left.nl", owner.id);
      const stays = await monitor({ entity_type: "website", entity_id: websiteId, company_id: given.id });
      const same = await monitor({ entity_type: "website", entity_id: websiteId, company_id: owner.id });
      const alone = await monitor({ company_id: given.id });
      const none = await monitor({ entity_type: "website", entity_id: websiteId });
      await tenant.owner.patch(`/uptime/monitors/${none["id"]}`, { company_id: null });
      const since = (await read(stays))["updated_at"];
      expect((await tenant.owner.delete(`/companies/${given.id}`)).status).to.equal(204);
      expect(await read(stays)).to.include({ company_id: owner.id, company_given: false });
      expect(Date.parse(String((await read(stays))["updated_at"]))).to.be.greaterThan(Date.parse(String(since)));
      expect(await read(alone)).to.include({ company_id: null, company_given: false });
      expect(await read(none)).to.include({ company_id: null, company_given: true });
      await tenant.owner.patch(`/domains/${domainId}`, { company_id: other.id });
      expect((await read(stays))["company_id"]).to.equal(other.id);
      expect((await tenant.owner.delete(`/companies/${owner.id}`)).status).to.equal(204);
      expect(await read(same)).to.include({ company_id: other.id, company_given: false });
      await tenant.owner.patch(`/uptime/monitors/${same["id"]}`, { company_id: other.id });
      expect((await tenant.owner.delete(`/companies/${other.id}`)).status).to.equal(204);
      expect(await read(same)).to.include({ company_id: null, company_given: false });
    });
  });

  describe("uptime_status of a website", () => {
    it("is the worst latest heartbeat of its active monitors: down > pending > maintenance > up; paused or never observed is null", async () => {
      const { websiteId } = await world.site(tenant, "worst.nl");
      const status = async () => {
        const one = (await tenant.owner.get(`/websites/${websiteId}`)).body.uptime_status;
        const [listed] = (await tenant.owner.get("/websites?q=worst")).body.items;
        expect(listed.uptime_status).to.equal(one);
        return one;
      };
      const { sql } = world.service;
      const set = (row: Row, last_status: string | null, active = true) =>
        sql.query("update uptime_monitors set last_status = $2, active = $3 where id = $1", [row.id, last_status, active]);
      const rows = [];
      for (let n = 0; n < 4; n++) rows.push(await monitor({ entity_type: "website", entity_id: websiteId }));
      const [a, b, c, d] = rows as [Row, Row, Row, Row];
      expect(await status()).to.equal(null);
      for (const [row, word, worst] of [
        [a, "up", "up"],
        [b, "maintenance", "maintenance"],
        [c, "pending", "pending"],
        [d, "down", "down"],
      ] as const) {
        await set(row, word);
        expect(await status()).to.equal(worst);
      }
      await set(d, "down", false);
      expect(await status()).to.equal("pending");
      for (const row of rows) await set(row, "down", false);
      expect(await status()).to.equal(null);
      expect((await tenant.owner.get("/websites?meta=false")).body.items[0].uptime_status).to.equal(null);
    });

    it("is visible to a client login, which sees no monitors", async () => {
      const company = await tenant.company();
      const { websiteId } = await world.site(tenant, "portal.nl", company.id);
      const row = await monitor({ entity_type: "website", entity_id: websiteId });
      await world.service.sql.query("update uptime_monitors set last_status = 'down' where id = $1", [row.id]);
      const client = await tenant.member("client");
      await tenant.group("Client", [company.id], [client.membershipId]);
      const site = await client.get(`/websites/${websiteId}`);
      expect([site.status, site.body.uptime_status]).to.deep.equal([200, "down"]);
      for (const path of ["/uptime/monitors", `/uptime/monitors/${row.id}`, "/uptime/instances", "/uptime/profiles"])
        expect((await client.get(path)).status, path).to.equal(403);
    });
  });

  describe("uptime.monitor.read", () => {
    it("at :any shows all, at :own those of clients whose roster the caller is on", async () => {
      const own = await tenant.member("member", { grants: ["companies.company.read", "uptime.monitor.read:own"] });
      const client = await tenant.company({ assignees: [{ user_id: own.accountId, is_primary: true }] });
      const [mine, other] = [await monitor({ company_id: client.id }), await monitor()];
      expect((await own.get("/uptime/monitors")).body.items.map(({ id }: Row) => id)).to.deep.equal([mine.id]);
      expect((await own.get(`/uptime/monitors/${mine.id}`)).status).to.equal(200);
      for (const path of ["", "/heartbeats"]) expect((await own.get(`/uptime/monitors/${other.id}${path}`)).status).to.equal(404);
    });
  });

  describe("bulk", () => {
    it("update re-files by client name or id, null detaches, and neither moves the anchor", async () => {
      const [from, to] = [await tenant.company(), await tenant.company()];
      const { websiteId } = await world.site(tenant, "bulk.nl", from.id);
      const rows = [await monitor({ entity_type: "website", entity_id: websiteId }), await monitor()];
      const ids = rows.map(({ id }) => id);
      for (const [company, expected] of [
        [to.name, to.id],
        [from.id, from.id],
        [null, null],
      ]) {
        const { status, body } = await tenant.owner.post("/bulk/uptime_monitor/update", { ids, values: { company } });
        expect([status, body]).to.deep.equal([200, { succeeded: 2, failed: [] }]);
        for (const row of rows) expect((await read(row))["company_id"]).to.equal(expected);
      }
      expect(await read(rows[0] as Row)).to.include({ entity_id: websiteId, company_given: true });
    });

    it("delete only stops tracking; a group that still has children is `errors.uptime_group_has_children`", async () => {
      const group = await monitor({ monitor_type: "group", target: null });
      const [child, free] = [await monitor({ parent_id: group.id }), await monitor()];
      const ids = [group.id, free.id, crypto.randomUUID()];
      const { body } = await tenant.owner.post("/bulk/uptime_monitor/delete", { ids });
      expect(body).to.deep.equal({
        succeeded: 1,
        failed: [
          { id: ids[2], error: "errors.not_found" },
          { id: group.id, error: "errors.uptime_group_has_children" },
        ],
      });
      expect((await tenant.owner.get(`/uptime/instances/${linked.id}`)).body).to.include({
        monitor_count: 2,
        untracked_count: 1,
      });
      // With its children in the same call it is deleted, in any order.
      const both = await tenant.owner.post("/bulk/uptime_monitor/delete", { ids: [child.id, group.id] });
      expect(both.body).to.deep.equal({ succeeded: 2, failed: [] });
    });
  });
});
