import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { holdSchedules, until } from "../../support/jobs.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("Messages whose contact moment was deleted (contact moments §3, Delete; workspace §2.6, status)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  before(async () => {
    world = await startMail();
    await jobsOf(world.service.node.broker).ready();
    await holdSchedules(world.service, "workspace.mail.%");
  });
  beforeEach(async () => {
    await world.begin();
    await world.contact(CLIENT, [(await world.tenant.company()).id]);
    ann = await world.colleague();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const asked = () => world.google.received.map(({ method, path }) => `${method} ${path}`);
  const suppressed = async (): Promise<number> =>
    (
      await world.service.sql.query("select 1 from interaction_suppressions where organisation_id = $1", [
        world.tenant.organisation.id,
      ])
    ).rowCount ?? 0;

  it("are left alone in the mailbox and not fetched again, a pending one without suppression of its thread", async () => {
    const first = world.deliver(ann, { from: CLIENT });
    const second = world.deliver(ann, { from: CLIENT, threadId: first.threadId });
    await world.poll(ann);
    const [waits, goes] = await world.moments(ann.caller, "&status=pending");
    world.google.received.length = 0;
    expect((await ann.caller.delete(`/interactions/${goes?.["id"]}`)).status).to.equal(204);
    expect(asked(), "nobody at Google is asked").to.deep.equal([]);
    expect((await world.rows()).map(({ id }) => id)).to.deep.equal([waits?.["id"]]);
    expect(await suppressed()).to.equal(0);

    await world.poll(ann);
    expect(asked().filter((call) => call.includes("/messages/"))).to.deep.equal([]);
    expect(asked().every((call) => call.startsWith("GET "))).to.equal(true);
    expect(await world.rows()).to.have.length(1);
    expect([...world.gmail.box(ann.google).messages.keys()]).to.have.members([first.id, second.id]);
    // What follows in the thread is offered as before, and the deleted one may be imported by hand.
    const third = world.deliver(ann, { from: CLIENT, threadId: first.threadId });
    await world.poll(ann);
    expect((await world.rows()).map(({ mail_message_id: id }) => id)).to.include(third.id);
    const left = (await world.rows()).map(({ mail_message_id: id }) => id);
    const deleted = [first, second].find(({ id }) => !left.includes(id));
    expect((await ann.caller.post("/workspace/mail/import", { message_id: deleted?.id })).status).to.equal(201);
  });

  it("stay away where a logged conversation was deleted as a whole", async () => {
    const message = world.deliver(ann, { from: CLIENT });
    await world.poll(ann);
    const [moment] = await world.moments(ann.caller, "&status=pending");
    await ann.caller.post(`/interactions/${moment?.["id"]}/approve`, {});
    expect((await ann.caller.delete(`/interactions/${moment?.["id"]}`)).status).to.equal(204);
    world.google.received.length = 0;
    await world.poll(ann);
    expect(await world.rows()).to.deep.equal([]);
    expect(asked().filter((call) => call.includes(`/messages/${message.id}`))).to.deep.equal([]);
    expect(world.gmail.box(ann.google).messages.has(message.id)).to.equal(true);
  });

  it("show in the status when the clock last read the mailbox, too", async () => {
    const polledAt = async () => (await ann.caller.get("/workspace/mail/status")).body.last_polled_at;
    const before = await polledAt();
    const { rows } = await world.service.sql.query("select id from workspace_connections where account_id = $1", [
      ann.caller.accountId,
    ]);
    await world.service.sql.query(
      `insert into outbox (id, organisation_id, job, payload, key) values (gen_random_uuid(), $1, 'workspace.mail.poll',
         jsonb_build_object('connection_id', $2::text, 'number', null), $2::text)`,
      [world.tenant.organisation.id, rows[0].id],
    );
    await until(async () => Date.parse(await polledAt()) > Date.parse(before));
  });
});
