import { expect } from "chai";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("A mailbox in trouble (workspace §2.5)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  before(async () => {
    world = await startMail();
  });
  beforeEach(async () => {
    await world.begin();
    await world.contact(CLIENT, [(await world.tenant.company()).id]);
    ann = await world.colleague();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const status = async () => (await ann.caller.get("/workspace/mail/status")).body;
  const notices = async (event: string) =>
    (await ann.caller.get("/notifications?limit=200")).body.items.filter(
      ({ event_type }: { event_type: string }) => event_type === event,
    );
  const skips = async (reason: string) =>
    (
      await world.service.sql.query("select message_id from workspace_mail_skips where organisation_id = $1 and reason = $2", [
        world.tenant.organisation.id,
        reason,
      ])
    ).rows.map(({ message_id }) => message_id);

  describe("whose history is gone", () => {
    it("is read from its present state on, and its owner learns from when mail may be missing, once (P7, P8)", async () => {
      const { last_polled_at: before } = await status();
      world.deliver(ann, { from: CLIENT });
      world.gmail.forgetHistory(ann.google);
      expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 0 });
      expect((await status()).gap_since).to.equal(before);
      const reported = await notices("workspace.mail_gap");
      expect(reported).to.have.length(1);
      expect(reported[0].payload).to.deep.include({ email: ann.google.email, gap_since: new Date(before).toISOString() });
      world.google.received.length = 0;
      world.deliver(ann, { from: CLIENT });
      expect((await world.poll(ann)).body.logged).to.equal(1);
      expect(world.google.calls("gmail").some((call) => call.includes("/profile"))).to.equal(false);
      expect(await notices("workspace.mail_gap")).to.have.length(1);
      expect((await status()).gap_since).to.equal(before);
    });

    it("and gone again at once is one gap, reported once, and a later one another", async () => {
      const { last_polled_at: before } = await status();
      for (let n = 0; n < 3; n++) {
        world.gmail.forgetHistory(ann.google);
        world.google.received.length = 0;
        expect((await world.poll(ann)).body.status).to.equal("polled");
        // Once through the history and once for the new beginning: no loop.
        expect(world.google.calls("gmail").map((call) => call.split("?")[0])).to.deep.equal([
          "GET /gmail/v1/users/me/history",
          "GET /gmail/v1/users/me/profile",
        ]);
      }
      expect((await status()).gap_since).to.equal(before);
      expect(await notices("workspace.mail_gap")).to.have.length(1);
      await world.poll(ann);
      world.gmail.forgetHistory(ann.google);
      await world.poll(ann);
      expect(Date.parse((await status()).gap_since)).to.be.greaterThan(Date.parse(before));
    });

    it("starts again at the next poll if the profile is not available", async () => {
      world.gmail.forgetHistory(ann.google);
      const end = world.google.failWhen(({ path }) => path.endsWith("/profile"), GoogleSimulator.refusing(400, "badRequest"));
      expect((await world.poll(ann)).body.status).to.equal("error");
      end();
      expect((await status()).gap_since).to.equal(null);
      expect((await world.poll(ann)).body.status).to.equal("polled");
      expect(await notices("workspace.mail_gap")).to.have.length(1);
    });
  });

  it("passes over a message that raises, remembers it, and takes all others (S7)", async () => {
    const broken: string[] = [];
    for (let n = 0; n < 200; n++) {
      const isBroken = n % 100 === 50;
      const { id } = world.deliver(ann, { from: CLIENT, ...(isBroken && { at: "99999999999999999" }) });
      if (isBroken) broken.push(id);
    }
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 198 });
    expect((await skips("ingest_error")).toSorted()).to.deep.equal(broken.toSorted());
    expect((await world.poll(ann)).body.logged).to.equal(0);
  });

  it("logs a message whose texts have half of a surrogate pair, with its file", async () => {
    const half = "\ud83d";
    const file = { name: `a${half}.txt`, type: "text/plain", bytes: Buffer.from("x") };
    const { id } = world.deliver(ann, {
      from: `"Carla ${half}" <${CLIENT}>`,
      subject: `Hi ${half}`,
      snippet: half,
      files: [file],
    });
    expect((await world.poll(ann)).body.logged).to.equal(1);
    expect((await world.rows())[0]).to.include({ subject: "Hi \ufffd", snippet: "\ufffd" });
    const other = world.deliver(ann, { from: "stranger@example.org", files: [file] });
    const { status, body } = await ann.caller.post("/workspace/mail/import", { message_id: other.id });
    expect([status, body.body_fetched]).to.deep.equal([201, true]);
    expect(await skips("ingest_error")).to.not.include(id);
  });

  it("shows a thread without its unreadable messages, and refuses an unreadable message: 422", async () => {
    const { id, threadId } = world.deliver(ann, { from: CLIENT });
    const broken = world.deliver(ann, { from: CLIENT, threadId, at: "99999999999999999" });
    const far = world.deliver(ann, { from: CLIENT, at: Date.UTC(12_000, 0) });
    const lookup = (reference: string) => ann.caller.get(`/workspace/mail/lookup?reference=${reference}`);
    for (const answer of [await lookup(id), await ann.caller.get(`/workspace/mail/threads/${threadId}`)])
      expect(answer.body.messages.map((one: { message_id: string }) => one.message_id)).to.deep.equal([id]);
    for (const answer of [
      await lookup(broken.id),
      await lookup(far.id),
      await ann.caller.get(`/workspace/mail/threads/${far.threadId}`),
      await ann.caller.post("/workspace/mail/import", { message_id: far.id }),
    ])
      expect([answer.status, answer.body.error.message]).to.deep.equal([422, "errors.mail_message_unusable"]);
  });

  it("passes over a message that cannot be stored, and takes all others (S7)", async () => {
    // A row that no other message has in its way.
    await world.service.sql.query(`create function no_such_subject() returns trigger language plpgsql as $$
      begin if new.subject = 'explode' then raise exception 'it did'; end if; return new; end $$;
      create trigger no_such_subject before insert on interactions for each row execute function no_such_subject()`);
    try {
      world.deliver(ann, { from: CLIENT });
      const { id } = world.deliver(ann, { from: CLIENT, subject: "explode" });
      world.deliver(ann, { from: CLIENT });
      expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 2 });
      expect(await skips("ingest_error")).to.deep.equal([id]);
    } finally {
      await world.service.sql.query("drop function no_such_subject cascade");
    }
  });

  it("with a grant revoked in the middle ends the run, notifies its owner once, and loses nothing (P9)", async () => {
    for (let n = 0; n < 150; n++) world.deliver(ann, { from: CLIENT });
    let seen = 0;
    world.gmail.onAnswer = ({ parts }) => {
      if (parts[2] === "messages" && ++seen === 120) world.google.revoke(ann.google);
    };
    expect((await world.poll(ann)).body).to.deep.include({ status: "error" });
    expect(await world.rows()).to.have.length(120);
    expect(await notices("workspace.connection_broken")).to.have.length(1);
    expect((await world.poll(ann)).body.error.code).to.equal("workspace_connection_error");
    expect(await status()).to.deep.include({ connection_error: true, available: false });
    expect(await notices("workspace.connection_broken")).to.have.length(1);
  });

  it("waits with a message that Google fails to give, and passes it over at the third poll", async () => {
    const { id } = world.deliver(ann, { from: CLIENT });
    world.deliver(ann, { from: CLIENT });
    const end = world.google.failWhen(({ path }) => path.endsWith(id), GoogleSimulator.refusing(400, "failedPrecondition"));
    for (const times of [1, 2]) expect([times, (await world.poll(ann)).body.status]).to.deep.equal([times, "error"]);
    expect([await world.rows(), await skips("ingest_error")]).to.deep.equal([[], []]);
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 1 });
    expect(await skips("ingest_error")).to.deep.equal([id]);
    end();
  });

  it("leaves out a message that is gone by the time it is read", async () => {
    const { id } = world.deliver(ann, { from: CLIENT });
    world.gmail.box(ann.google).messages.delete(id);
    world.deliver(ann, { from: CLIENT });
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 1 });
  });

  it("that its owner switched off is not read for what came meanwhile", async () => {
    await ann.caller.patch("/workspace/connections/me", { mail_sync_enabled: false });
    world.deliver(ann, { from: CLIENT });
    expect((await world.poll(ann)).body.error.code).to.equal("mail_sync_off");
    await ann.caller.patch("/workspace/connections/me", { mail_sync_enabled: true });
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 0 });
    world.deliver(ann, { from: CLIENT });
    expect((await world.poll(ann)).body.logged).to.equal(1);
  });

  it("that its owner switches off during a poll is left alone at once, and not read for what came until it is on again", async () => {
    const switching = (onPath: string) => {
      let off: Promise<unknown> | undefined;
      const isCall = ({ path }: { path: string }) => path.includes(onPath);
      return world.google.failWhen(isCall, {
        kind: "wait",
        get until() {
          return (off ??= ann.caller.patch("/workspace/connections/me", { mail_sync_enabled: false }));
        },
      });
    };
    // During the first call of a poll, with the headers of its message, and after the history is gone.
    for (const onPath of ["/history", "/messages/", "/profile"]) {
      world.deliver(ann, { from: CLIENT });
      if (onPath === "/profile") world.gmail.forgetHistory(ann.google);
      const end = switching(onPath);
      expect((await world.poll(ann)).body, onPath).to.deep.include({ status: "error", logged: 0 });
      end();
      world.deliver(ann, { from: CLIENT });
      await ann.caller.patch("/workspace/connections/me", { mail_sync_enabled: true });
      expect((await world.poll(ann)).body, onPath).to.deep.include({ status: "polled", logged: 0 });
    }
    expect(await world.rows()).to.deep.equal([]);
    expect(await notices("workspace.mail_gap")).to.deep.equal([]);
    world.deliver(ann, { from: CLIENT });
    expect((await world.poll(ann)).body.logged).to.equal(1);
  });

  it("stops with the licence of contact moments, and resumes where it was (S8)", async () => {
    const licence = (days: number) =>
      world.service.sql.query(
        `insert into product_licences (module, expires_at, grace_days) values ('interactions', now() + $1 * interval '1 day', 0)
           on conflict (module) do update set expires_at = excluded.expires_at`,
        [days],
      );
    world.deliver(ann, { from: CLIENT });
    await licence(-2);
    try {
      expect((await world.poll(ann)).body.status).to.equal("error");
      expect(await world.rows()).to.deep.equal([]);
    } finally {
      await world.service.sql.query("delete from product_licences where module = 'interactions'");
    }
    expect((await world.poll(ann)).body.logged).to.equal(1);
  });
});
