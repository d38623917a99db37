import { expect } from "chai";
import { addDays, dateIn, midnight } from "../../../core/calendar/calendar.ts";
import { dayInWords } from "../../../core/calendar/in-words.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire } from "../../support/jobs.ts";
import { mailedTo } from "../../support/mail/mailed.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

describe("the clockwork of keys and sign-in", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService();
    await jobsOf(service.node.broker).ready();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const key = (name: string, expires_at: string | null, who = tenant.owner) =>
    who.post("/api-keys", { name, scopes: ["companies.company.read"], expires_at });

  it("notifies the owner of a key once, 14 days before it ends, in the owner's language", async () => {
    const member = await tenant.member("member");
    await service.sql.query("update accounts set locale = 'en' where id = $1", [member.accountId]);
    await key("soon", inDays(13), member);
    await key("later", inDays(15), member);
    await key("never", null, member);
    const gone = (await key("revoked", inDays(3), member)).body;
    await member.post(`/api-keys/${gone.id}/revoke`);
    const client = await service.sql.query(
      "insert into oauth_clients (id, organisation_id, client_id, name) values (gen_random_uuid(), $1, 'app', 'An app') returning id",
      [tenant.organisation.id],
    );
    const renewed = (await key("of an app, which renews it", inDays(1), member)).body;
    await service.sql.query("update api_keys set oauth_client_id = $1 where id = $2", [client.rows[0].id, renewed.id]);
    for (const _ of [1, 2]) await fire(service, "access.key-expiry");
    const mails = await mailedTo(service.sql, member.email);
    expect(mails.map(({ kind, locale }) => [kind, locale])).to.deep.equal([["key-expiry", "en"]]);
    const { rows } = await service.sql.query("select variables from mails where id = $1", [mails[0]?.id]);
    expect(rows[0].variables.key_name).to.equal("soon");
    expect(rows[0].variables.expires_on.en).to.match(/^\d\d? [A-Z][a-z]+ \d{4}$/);
  });

  it("names the last day on which a key works, on the organisation's calendar", async () => {
    const zone = "Europe/Amsterdam";
    const day = addDays(dateIn(zone, Date.now()), 7);
    await key("whole days", midnight(addDays(day, 1), zone));
    await fire(service, "access.key-expiry");
    const [mail] = await mailedTo(service.sql, tenant.owner.email);
    const { rows } = await service.sql.query("select variables from mails where id = $1", [mail?.id]);
    expect(rows[0].variables.expires_on).to.deep.equal({ nl: dayInWords("nl", day), en: dayInWords("en", day) });
  });

  it("notifies the maker of a service account about its keys, and no member who left", async () => {
    const admin = await tenant.member("admin");
    const { id } = (await admin.post("/service-accounts", { name: "Sync" })).body;
    await admin.post(`/service-accounts/${id}/keys`, { name: "sync", scopes: ["companies.company.read"], expires_at: inDays(5) });
    const leaver = await tenant.member("member");
    await key("lost", inDays(5), leaver);
    await tenant.owner.patch(`/members/${leaver.membershipId}/account`, { active: false });
    await fire(service, "access.key-expiry");
    expect(await mailedTo(service.sql, admin.email)).to.have.length(1);
    expect(await mailedTo(service.sql, leaver.email)).to.deep.equal([]);
  });

  it("clears sessions that ended or expired a day ago, and keeps everybody else's access as it is", async () => {
    const { accountId } = await tenant.member("member");
    const ages = {
      live: [null, "7 days"],
      ended: ["-25 hours", "6 days"],
      expired: [null, "-25 hours"],
      lately: ["-1 hour", "6 days"],
    };
    for (const [agent, [ended, expires]] of Object.entries(ages))
      await service.sql.query(
        `insert into sessions (id, organisation_id, account_id, token_hash, user_agent, ended_at, expires_at)
         values (gen_random_uuid(), $1, $2, sha256(convert_to($3, 'utf8')), $3::text, now() + $4::interval, now() + $5::interval)`,
        [tenant.organisation.id, accountId, agent, ended, expires],
      );
    const revision = async () =>
      (await service.sql.query("select access_revision from organisations where id = $1", [tenant.organisation.id])).rows;
    const before = await revision();
    await fire(service, "access.clear");
    const { rows } = await service.sql.query("select user_agent from sessions where account_id = $1 order by user_agent", [
      accountId,
    ]);
    expect(rows.map(({ user_agent }) => user_agent)).to.deep.equal(["lately", "live"]);
    expect(await revision()).to.deep.equal(before);
  });

  it("clears challenges and links that have expired, and leaves the rest", async () => {
    for (const email of ["a", "b"]) await tenant.owner.post("/members/invite", { email: `${email}-${Date.now()}@example.com` });
    const count = async () => (await service.sql.query("select count(*)::int as n from account_tokens")).rows[0].n;
    const before = await count();
    await service.sql.query(
      "update account_tokens set expires_at = now() where id = (select id from account_tokens order by id limit 1)",
    );
    await fire(service, "access.clear");
    expect(await count()).to.equal(before - 1);
  });
});
