import { expect } from "chai";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { settled, until } from "../../support/jobs.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("POST /workspace/mail/refresh (workspace §2.6)", function () {
  this.timeout(180_000);
  let world: MailWorld;
  let ann: MailPerson;
  before(async () => {
    world = await startMail();
  });
  beforeEach(async () => {
    await world.begin();
    ann = await world.colleague();
    await world.contact(CLIENT);
  });
  after(() => world.stop());

  const many = (count: number) => {
    for (let n = 0; n < count; n++) world.deliver(ann, { from: CLIENT, subject: `Message ${n}` });
  };

  it("logs 300 messages at once", async () => {
    many(300);
    const { status, body } = await world.poll(ann);
    expect([status, body.status]).to.deep.equal([200, "polled"]);
    expect(body.logged).to.be.greaterThan(100);
    await until(async () => (await world.rows()).length === 300, 120_000);
    await settled(world.service);
    const notices = (await ann.caller.get("/notifications?limit=200")).body.items;
    const counts = notices.flatMap(({ event_type, payload }: { event_type: string; payload: { count: number } }) =>
      event_type === "interactions.email_pending" ? [payload.count] : [],
    );
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).to.equal(300);
    expect(counts.length).to.be.at.most(3);
  });

  it("answers what it logged where a later page failed", async () => {
    many(150);
    const end = world.google.failWhen(
      ({ query }) => query.get("pageToken") !== null,
      GoogleSimulator.refusing(403, "dailyLimitExceeded"),
    );
    const { status, body } = await world.poll(ann);
    expect([status, body.status, body.logged]).to.deep.equal([200, "error", 100]);
    end();
  });
});

describe("POST /workspace/mail/refresh of a slow mailbox (workspace §2.6)", function () {
  this.timeout(180_000);

  it("is answered within the time of a request: the rest follows", async () => {
    const world = await startMail({ SERVICE_REQUEST_TIMEOUT_MS: "15000" });
    try {
      await world.begin();
      const bob = await world.colleague();
      await world.contact(CLIENT);
      for (let n = 0; n < 120; n++) world.deliver(bob, { from: CLIENT, subject: `Message ${n}` });
      const end = world.google.failWhen(({ path }) => path.includes("/messages/"), { kind: "delay", ms: 800 });
      const { status, body } = await world.poll(bob);
      expect([status, body.status]).to.deep.equal([200, "polled"]);
      expect(body.logged).to.be.within(20, 100);
      end();
      await until(async () => (await world.rows()).length === 120, 120_000);
    } finally {
      await world.stop();
    }
  });
});
