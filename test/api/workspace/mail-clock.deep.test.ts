import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { collectedHeap } from "../../support/heap.ts";
import { strike, until } from "../../support/jobs.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("The clock of the mail feed (workspace §2.5)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  before(async () => {
    world = await startMail();
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    await world.begin();
    await world.contact(CLIENT, [(await world.tenant.company()).id]);
    ann = await world.colleague();
    await world.service.sql.query("delete from outbox where job = 'workspace.mail.due'");
    await world.service.sql.query("delete from jobs.agenda_jobs where name = 'workspace.mail.due'");
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  /** When the polls are due that have been scheduled, by connection. */
  const due = async (): Promise<{ id: string; at: number }[]> => {
    const { rows } = await world.service.sql.query(
      `select payload ->> 'connection_id' as id, run_at as at from outbox where job = 'workspace.mail.due' and relayed_at is null
       union all select data #>> '{payload,connection_id}', next_run_at from jobs.agenda_jobs where name = 'workspace.mail.due'`,
    );
    return rows.map(({ id, at }) => ({ id, at: Date.parse(at) }));
  };

  /** Lets the clock look, and waits until it has looked at every organisation. */
  const look = async () => {
    await strike(world.service, "workspace.mail.look");
    const waiting = `select 1 from outbox where job = 'workspace.mail.look' and relayed_at is null
      union all select 1 from jobs.agenda_jobs where name = 'workspace.mail.look' and type = 'normal'
        and (next_run_at is not null or locked_at is not null)`;
    await until(async () => (await world.service.sql.query(waiting)).rowCount === 0);
  };

  it("polls who opted in, is healthy and gave the scope, while mail is switched on", async () => {
    const { tenant, service } = world;
    const [off, broken, bare, gone] = [
      await world.colleague({ polled: false }),
      await world.colleague({ polled: false }),
      await world.colleague({ polled: false }),
      await world.colleague({ polled: false }),
    ] as [MailPerson, MailPerson, MailPerson, MailPerson];
    await off.caller.patch("/workspace/connections/me", { mail_sync_enabled: false });
    const connection = (set: string, who: MailPerson) =>
      service.sql.query(`update workspace_connections set ${set} where account_id = $1`, [who.caller.accountId]);
    await connection("status = 'error'", broken);
    await connection("scopes = '{openid}'", bare);
    await service.sql.query("update memberships set deactivated_at = now() where organisation_id = $1 and account_id = $2", [
      tenant.organisation.id,
      gone.caller.accountId,
    ]);
    await look();
    const { rows } = await service.sql.query("select id from workspace_connections where account_id = $1", [
      ann.caller.accountId,
    ]);
    const mine = async () => {
      const ids = new Set(
        (
          await service.sql.query("select id from workspace_connections where organisation_id = $1", [tenant.organisation.id])
        ).rows.map(({ id }) => id),
      );
      return (await due()).filter(({ id }) => ids.has(id));
    };
    expect((await mine()).map(({ id }) => id)).to.deep.equal([rows[0].id]);
    // A second look makes no second poll.
    await look();
    // The second one is dropped as it leaves the outbox.
    await until(async () => (await mine()).length === 1);
  });

  it("spreads 500 mailboxes that are due at once over the five minutes", async () => {
    const { tenant, service } = world;
    await service.sql.query(
      `with people as (insert into accounts (id, email) select gen_random_uuid(), 'many' || n || '@spread.example' from generate_series(1, 499) n
         returning id), members as (insert into memberships (organisation_id, account_id) select $1, id from people returning account_id)
       select 1`,
      [tenant.organisation.id],
    );
    await service.sql.query(
      `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token, mail_sync_enabled)
       select gen_random_uuid(), $1, m.account_id, m.account_id::text, 'c', 'x@spread.example', o.scopes, o.refresh_token, true
         from memberships m join accounts a on a.id = m.account_id and a.email like '%@spread.example'
         cross join (select scopes, refresh_token from workspace_connections where organisation_id = $1 limit 1) o where m.organisation_id = $1`,
      [tenant.organisation.id],
    );
    const from = Date.now();
    await look();
    const ids = new Set(
      (
        await service.sql.query("select id from workspace_connections where organisation_id = $1", [tenant.organisation.id])
      ).rows.map(({ id }) => id),
    );
    const all = (await due()).filter(({ id }) => ids.has(id));
    // Those whose moment has come meanwhile have been polled.
    expect(all.length).to.be.within(450, 500);
    const perMinute = [0, 1, 2, 3, 4].map((n) => all.filter(({ at }) => Math.floor((at - from) / 60_000) === n).length);
    expect(Math.max(...perMinute)).to.be.lessThan(150);
    expect(all.every(({ at }) => at - from < 310_000)).to.equal(true);
  });

  it("reads 10,000 messages of which 1 % raise: all others are there, with a flat heap", async function () {
    this.timeout(900_000);
    const { service } = world;
    const box = world.gmail.box(ann.google);
    const total = Number(process.env["MAIL_FEED_MESSAGES"] ?? 2_000);
    for (let n = 0; n < total; n++)
      world.deliver(ann, {
        from: n % 10 === 0 ? CLIENT : `news${n}@letters.example`,
        ...(n % 100 === 50 && { at: "99999999999999999" }),
      });
    let heap = 0;
    let most = 0;
    let seen = 0;
    world.gmail.onAnswer = () => {
      if (++seen % 500 !== 0) return;
      const used = collectedHeap();
      heap ||= used;
      most = Math.max(most, used - heap);
      world.google.received.length = 0;
    };
    expect((await world.poll(ann)).body.status).to.equal("polled");
    const state = async () =>
      (
        await service.sql.query("select history_id from workspace_mailboxes where organisation_id = $1", [
          world.tenant.organisation.id,
        ])
      ).rows[0].history_id;
    for (const until = performance.now() + 800_000; (await state()) !== `${box.newest}`; ) {
      if (performance.now() > until) throw new Error("the feed does not come to an end");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const clients = Array.from({ length: total }, (_, n) => n).filter((n) => n % 10 === 0 && n % 100 !== 50).length;
    expect(await world.rows()).to.have.length(clients);
    const { rows } = await service.sql.query(
      "select count(*)::int as n from workspace_mail_skips where organisation_id = $1 and reason = 'ingest_error'",
      [world.tenant.organisation.id],
    );
    expect(rows[0].n).to.equal(total / 100);
    expect(seen).to.be.at.least(total);
    expect(most).to.be.lessThan(10 << 20);
  });
});
