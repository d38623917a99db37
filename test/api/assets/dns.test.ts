import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { cname, dnskey, mx, ns, soa, type ZoneScript, ZoneServer } from "../../simulators/zones.ts";
import { ended, endsBefore } from "../../support/effort.ts";
import { fire, settled, until } from "../../support/jobs.ts";
import { noneInTransaction } from "../../support/open-transactions.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { domainOf, freshName } from "./site-records.ts";

/** A signed zone with two name servers and mail, under every name. */
const signed: ZoneScript = ({ name, type }) => {
  if (type === "NS") return { answers: [ns(name, "ns2.host.example"), ns(name, "NS1.Host.Example.")] };
  if (type === "MX") return { answers: [mx(name, 20, "backup.mail.example"), mx(name, 10, "Mail.Example.")] };
  return { answers: [dnskey(name), dnskey(name)] };
};
const OF_SIGNED = {
  nameservers: ["ns1.host.example", "ns2.host.example"],
  dnssec: true,
  mx_records: [
    { priority: 10, exchange: "mail.example" },
    { priority: 20, exchange: "backup.mail.example" },
  ],
};

describe("public DNS of domains", () => {
  const zones = new ZoneServer();
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await zones.start();
    service = await startService({ SERVICE_OUTBOUND_NAME_SERVERS: zones.address });
    tenant = await service.tenant();
  });
  after(async () => {
    await service.stop();
    await zones.stop();
  });
  beforeEach(() => {
    zones.asked.length = 0;
    zones.script = signed;
  });

  const refresh = (id: string, caller = tenant.owner) => caller.post(`/domains/${id}/refresh`);
  const seen = async (id: string) => {
    const { body } = await tenant.owner.get(`/domains/${id}`);
    return {
      nameservers: body.nameservers,
      dnssec: body.dnssec,
      mx_records: body.mx_records,
      dns_checked_at: body.dns_checked_at,
    };
  };

  describe("POST /domains/{domain_id}/refresh", () => {
    it("asks for name servers, keys and mail, stores the answers and gives the domain", async () => {
      const { id, name } = await domainOf(service.sql, tenant);
      expect(await seen(id)).to.deep.equal({ nameservers: null, dnssec: null, mx_records: null, dns_checked_at: null });
      const before = (await tenant.owner.get(`/domains/${id}`)).headers["etag"];
      const answer = await refresh(id);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.include({ id, name, ...OF_SIGNED });
      expect(Date.parse(answer.body.dns_checked_at)).to.be.closeTo(Date.now(), 20_000);
      expect(await seen(id)).to.deep.equal({ ...OF_SIGNED, dns_checked_at: answer.body.dns_checked_at });
      expect(zones.asked.map((asked) => `${asked.type} ${asked.name}`).toSorted()).to.deep.equal([
        `DNSKEY ${name}`,
        `MX ${name}`,
        `NS ${name}`,
      ]);
      expect(await trailOf(service.sql, "domain", id)).to.deep.equal([]);
      expect((await tenant.owner.get(`/domains/${id}`)).headers["etag"], "the tag of the domain").to.equal(before);
    });

    for (const [what, script, wanted] of [
      ["an unsigned zone", ({ name }) => ({ authorities: [soa(name)] }), { nameservers: [], dnssec: false, mx_records: [] }],
      [
        "an alias in place of a zone",
        ({ name, type }) => ({
          answers: [
            cname(name, "host.example"),
            ...(type === "MX" ? [mx("host.example", 1, "mail.example")] : [dnskey("host.example")]),
          ],
        }),
        { nameservers: [], dnssec: false, mx_records: [{ priority: 1, exchange: "mail.example" }] },
      ],
      ["a name that is not there", () => ({ rcode: "NXDOMAIN" }), { nameservers: [], dnssec: null, mx_records: [] }],
      ["a broken zone", () => ({ rcode: "SERVFAIL" }), { nameservers: [], dnssec: null, mx_records: [] }],
      [
        "keys alone, the other answers lost on the way",
        (asked) => (asked.type === "DNSKEY" ? signed(asked) : null),
        { nameservers: [], dnssec: true, mx_records: [] },
      ],
    ] as [string, ZoneScript, object][])
      it(`stores the records of ${what}, replacing the earlier ones, and when`, async () => {
        const { id } = await domainOf(service.sql, tenant);
        const first = (await refresh(id)).body.dns_checked_at;
        zones.script = script;
        // The lookups run in parallel, each within five seconds: two in sequence would take ten.
        const { status, body } = await endsBefore(9500, refresh(id));
        expect(status).to.equal(200);
        expect(body).to.deep.include(wanted);
        expect(body.dns_checked_at > first).to.equal(true);
      });

    it("holds no connection of the database while it waits", async () => {
      const { id } = await domainOf(service.sql, tenant);
      let isSilent = true;
      zones.script = (asked) => (isSilent ? null : signed(asked));
      const waiting = refresh(id);
      const isOver = ended(waiting);
      await until(() => zones.asked.length === 3);
      await noneInTransaction(service);
      expect(isOver()).to.equal(false);
      // A rename meanwhile: the answer is about the old name.
      await service.sql.query("update domains set name = $2 where id = $1", [id, freshName()]);
      isSilent = false;
      expect((await waiting).body).to.deep.include({ nameservers: null, dns_checked_at: null });
    });

    it("is for those who may write the domain and see its client", async () => {
      const { id, company_id } = await domainOf(service.sql, tenant);
      const hidden = await domainOf(service.sql, tenant);
      expect((await refresh(id, await tenant.member("member"))).status).to.equal(403);
      const restricted = await tenant.member("admin");
      await tenant.group(`Only ${company_id}`, [company_id], [restricted.membershipId]);
      expect((await refresh(hidden.id, restricted)).status).to.equal(404);
      expect((await refresh(id, (await service.tenant()).owner)).status).to.equal(404);
      expect(zones.asked).to.deep.equal([]);
      expect((await refresh(id, restricted)).body).to.deep.include(OF_SIGNED);
    });
  });

  /** Domains of an organisation, by SQL, so that no job of their own looks at them. */
  const fill = (place: Tenant, companyId: string, many: number) =>
    service.sql.query(
      `insert into domains (id, organisation_id, company_id, name, label, start_date)
       select gen_random_uuid(), $1, $2, 'veel' || n || '.example', 'veel' || n || '.example', '2026-01-01' from generate_series(1, $3::int) n`,
      [place.organisation.id, companyId, many],
    );
  const domainByRequest = async (place: Tenant): Promise<{ id: string }> =>
    (await place.owner.post("/domains", { name: freshName(), company_id: (await place.company()).id })).body;

  describe("the job of a new domain", () => {
    it("looks at it three seconds after it was made", async () => {
      const company = await tenant.company();
      const name = freshName();
      const askedAt: number[] = [];
      zones.script = (asked) => {
        askedAt.push(Date.now());
        return signed(asked);
      };
      const began = Date.now();
      const made = await tenant.owner.post("/domains", { name, company_id: company.id });
      expect(made.body).to.deep.include({ nameservers: null, dnssec: null, mx_records: null, dns_checked_at: null });
      const looked = await until(async () => {
        const now = await seen(made.body.id);
        return now.dns_checked_at && now;
      });
      expect(looked).to.deep.include(OF_SIGNED);
      expect((askedAt[0] as number) - began).to.be.at.least(2990);
    });

    /** How many domains of an organisation are due, and how many have been looked up. */
    const looksOf = async ({ organisation }: Tenant): Promise<{ due: number; looked: number }> =>
      (
        await service.sql.query(
          "select count(dns_look_at)::int as due, count(dns_checked_at)::int as looked from domains where organisation_id = $1",
          [organisation.id],
        )
      ).rows[0];
    /** Jobs that look at due domains of an organisation, waiting or running. */
    const jobsIn = async ({ organisation }: Tenant) =>
      (
        await service.sql.query(
          "select * from jobs.agenda_jobs where name = 'domains.look-at-due-dns' and data ->> 'organisation' = $1",
          [organisation.id],
        )
      ).rows;
    const setStatus = ({ organisation }: Tenant, status: string) =>
      service.sql.query("update organisations set status = $2 where id = $1", [organisation.id, status]);

    it("is one for all domains that are created together, and leaves none due", async () => {
      const own = await service.tenant();
      const company = await own.company();
      for (let count = 0; count < 4; count++) await own.owner.post("/domains", { name: freshName(), company_id: company.id });
      expect(await looksOf(own)).to.deep.equal({ due: 4, looked: 0 });
      await until(async () => (await jobsIn(own)).length > 0);
      expect(await jobsIn(own)).to.have.length(1);
      await until(async () => (await looksOf(own)).due === 0);
      expect(await looksOf(own)).to.deep.equal({ due: 0, looked: 4 });
      expect(zones.asked.length).to.equal(12);
    });

    it("looks at more than a hundred in several runs, at each once", async () => {
      const own = await service.tenant();
      await fill(own, (await own.company()).id, 230);
      await service.sql.query(
        "update domains set dns_look_at = now() - make_interval(secs => length(name)) where organisation_id = $1",
        [own.organisation.id],
      );
      // One more, whose creation schedules the job.
      await domainByRequest(own);
      await until(async () => (await looksOf(own)).due === 0);
      expect(await looksOf(own)).to.deep.equal({ due: 0, looked: 231 });
      expect(zones.asked.length).to.equal(3 * 231);
    });

    it("waits while the organisation is suspended, and then looks at all that are due", async () => {
      const own = await service.tenant();
      await domainByRequest(own);
      await setStatus(own, "suspended");
      await until(async () => Date.parse((await jobsIn(own))[0]?.next_run_at) > Date.now() + 600_000);
      expect([zones.asked, await looksOf(own)]).to.deep.equal([[], { due: 1, looked: 0 }]);
      await setStatus(own, "active");
      await domainByRequest(own);
      await service.sql.query("update domains set dns_look_at = now() where organisation_id = $1", [own.organisation.id]);
      await service.sql.query(
        "update jobs.agenda_jobs set next_run_at = now() where name = 'domains.look-at-due-dns' and data ->> 'organisation' = $1",
        [own.organisation.id],
      );
      await settled(service);
      expect(await looksOf(own)).to.deep.equal({ due: 0, looked: 2 });
    });

    it("looks again at a domain that was renamed during the look-up", async () => {
      const own = await service.tenant();
      const { id } = await domainByRequest(own);
      const renamed = freshName();
      zones.script = (asked) => (asked.name === renamed ? signed(asked) : null);
      await until(() => zones.asked.length > 0);
      await service.sql.query("update domains set name = $2 where id = $1", [id, renamed]);
      await until(async () => (await looksOf(own)).due === 0);
      const { rows } = await service.sql.query("select nameservers from domains where id = $1", [id]);
      expect(rows).to.deep.equal([{ nameservers: OF_SIGNED.nameservers }]);
    });

    it("of the version before still has its domain looked at", async () => {
      const own = await service.tenant();
      const { id } = await domainOf(service.sql, own);
      await service.sql.query(
        "insert into outbox (id, organisation_id, job, payload) values (gen_random_uuid(), $1, 'domains.look-at-dns', $2)",
        [own.organisation.id, { domain_id: id }],
      );
      await until(async () => (await looksOf(own)).looked === 1);
      expect(await looksOf(own)).to.deep.equal({ due: 0, looked: 1 });
    });

    it("has nothing to do where the domain is gone", async () => {
      const company = await tenant.company();
      const made = await tenant.owner.post("/domains", { name: freshName(), company_id: company.id });
      await tenant.owner.delete(`/domains/${made.body.id}`);
      await settled(service);
      expect(zones.asked).to.deep.equal([]);
      const { rowCount } = await service.sql.query("select 1 from jobs.agenda_jobs where fail_count > 0");
      expect(rowCount).to.equal(0);
    });
  });

  describe("the daily job", () => {
    const lookedAt = async ({ organisation }: Tenant): Promise<{ all: number; looked: number; signed: number }> =>
      (
        await service.sql.query(
          `select count(*)::int as all, count(dns_checked_at)::int as looked, count(*) filter (where dnssec)::int as signed
             from domains where organisation_id = $1`,
          [organisation.id],
        )
      ).rows[0];

    it("is at 04:30 UTC", async () => {
      await jobsOf(service.node.broker).ready();
      const { rows } = await service.sql.query(
        "select repeat_interval from jobs.agenda_jobs where name = 'domains.look-at-all-dns'",
      );
      expect(rows).to.deep.equal([{ repeat_interval: "30 4 * * *" }]);
    });

    it("ends the look-ups that were due, whose job became a dead letter", async () => {
      const own = await service.tenant();
      await fill(own, (await own.company()).id, 2);
      await service.sql.query("update domains set dns_look_at = now() - interval '1 day' where organisation_id = $1", [
        own.organisation.id,
      ]);
      await jobsOf(service.node.broker).ready();
      await fire(service, "domains.look-at-all-dns");
      const { rows } = await service.sql.query("select dns_look_at from domains where organisation_id = $1", [
        own.organisation.id,
      ]);
      expect(rows).to.deep.equal([{ dns_look_at: null }, { dns_look_at: null }]);
    }).timeout(60_000);

    it("looks at all domains of every active organisation, few at a time, and of no other", async () => {
      const [many, suspended] = [await service.tenant(), await service.tenant()];
      await fill(many, (await many.company()).id, 450);
      await fill(suspended, (await suspended.company()).id, 3);
      await service.sql.query("update organisations set status = 'suspended' where id = $1", [suspended.organisation.id]);
      let [waiting, most] = [0, 0];
      zones.script = (asked) => {
        waiting += 1;
        most = Math.max(most, waiting);
        setTimeout(() => (waiting -= 1), 15);
        return { ...(signed(asked) as object), delay: 15 };
      };
      await jobsOf(service.node.broker).ready();
      await fire(service, "domains.look-at-all-dns");
      expect(await lookedAt(many)).to.deep.equal({ all: 450, looked: 450, signed: 450 });
      expect(await lookedAt(suspended)).to.deep.include({ looked: 0 });
      // Two organisations at once at most have domains here, each with 25 domains under way and three lookups for each.
      expect(most).to.be.within(10, 2 * 75);
    }).timeout(60_000);
  });
});
