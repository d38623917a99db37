import net, { type AddressInfo } from "node:net";
import { expect } from "chai";
import { newId } from "../../../core/database/model.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { fire, settled, until } from "../../support/jobs.ts";
import { MailWorld, resetMail } from "../../support/mail/mail-world.ts";
import type { Tenant } from "../../support/service.ts";

describe("the queue of mails", () => {
  const world = new MailWorld();
  const { mailbox } = world;
  const silent = net.createServer((socket) => sockets.push(socket));
  const sockets: net.Socket[] = [];

  before(async () => {
    await world.start({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1" });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await world.stop();
  });
  beforeEach(() => world.renew());

  const countOf = async ({ organisation }: Tenant, status: string): Promise<number> => {
    const text = "select count(*)::int as many from mails where organisation_id = $1 and status = $2";
    return (await world.service.sql.query(text, [organisation.id, status])).rows[0].many;
  };
  const jobsIn = async ({ organisation }: Tenant, name: string): Promise<{ id: string }[]> => {
    const text = "select id from jobs.agenda_jobs where name = $1 and data ->> 'organisation' = $2";
    return (await world.service.sql.query(text, [name, organisation.id])).rows;
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => resetMail(`p${n}@noord.test`));
  /** Has the organisation send through a relay that accepts connections and never greets. */
  const sendToSilence = async () => {
    const { port } = silent.address() as AddressInfo;
    const relay = { provider: "smtp", from_address: "a@noord.test", host: "127.0.0.1", port, security: "none" };
    expect((await world.tenant.owner.put("/settings/email", relay)).status).to.equal(200);
  };

  it("sends more mails than one run takes, each once", async () => {
    await world.promise(...many(120));
    await until(async () => (await countOf(world.tenant, "sent")) === 120);
    await settled(world.service);
    expect(mailbox.delivered.length).to.equal(120);
    expect(new Set(mailbox.delivered.map(({ mail }) => mail.messageId)).size).to.equal(120);
  });

  it("sends the mail of an organisation while 40 mails of another wait for a relay that hangs", async () => {
    await sendToSilence();
    await world.promise(...many(40));
    await until(() => sockets.length > 0);
    const other = await world.service.tenant();
    await other.owner.post("/proof/mails", { mails: [resetMail("other@x.test")] });
    await until(() => mailbox.to("other@x.test").length > 0);
    expect(await countOf(world.tenant, "queued"), "the others still wait").to.equal(40);
    expect(await jobsIn(world.tenant, "mail.send-due"), "in one job").to.have.length(1);
    await world.service.sql.query("update mails set status = 'failed' where organisation_id = $1", [
      world.tenant.organisation.id,
    ]);
  });

  it("sends a mail again whose attempt was cut off, under the same Message-ID", async () => {
    const { id } = await world.promiseOne(resetMail("eva@noord.test"));
    expect(await world.ended(id)).to.equal("sent");
    // As it was when the node died between the relay's answer and its own record of it; the lock of its job has run out.
    await world.service.sql.query("update mails set status = 'queued', sent_at = null, due_at = now() where id = $1", [id]);
    await world.service.sql.query(
      `insert into jobs.agenda_jobs (name, next_run_at, locked_at, data) values ('mail.wake', now(), now() - interval '1 hour',
         jsonb_build_object('id', gen_random_uuid(), 'organisation', $1::text, 'payload', '{}'::jsonb, 'due', now()))`,
      [world.tenant.organisation.id],
    );
    await until(() => mailbox.delivered.length === 2);
    expect(new Set(mailbox.delivered.map(({ mail }) => mail.messageId)).size).to.equal(1);
    await until(async () => (await world.row(id)).status === "sent");
    expect(await world.row(id)).to.include({ attempts: 2 });
  });

  it("sends due mail that no job sends, by the hourly clock", async () => {
    const id = newId();
    await world.service.sql.query(
      `insert into mails (id, organisation_id, kind, to_address, link, due_at)
       values ($1, $2, 'reset', 'eva@noord.test', '/reset', now() - interval '11 minutes')`,
      [id, world.tenant.organisation.id],
    );
    await jobsOf(world.service.node.broker).ready();
    await fire(world.service, "mail.clear");
    expect((await world.row(id)).status).to.equal("sent");
  });

  it("sends a mail of the version before by its own job", async () => {
    const id = newId();
    const { id: organisation } = world.tenant.organisation;
    await world.service.sql.query(
      `insert into mails (id, organisation_id, kind, to_address, link) values ($1, $2, 'reset', 'eva@noord.test', '/reset')`,
      [id, organisation],
    );
    await world.service.sql.query(
      "insert into outbox (id, organisation_id, job, payload) values (gen_random_uuid(), $1, 'mail.send', $2)",
      [organisation, { mail_id: id }],
    );
    await until(async () => (await world.row(id)).status === "sent");
    expect(mailbox.delivered.length).to.equal(1);
  });
});
