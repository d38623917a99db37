import { expect } from "chai";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("The mail feed (workspace §2.5)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  let company: string;
  before(async () => {
    world = await startMail();
  });
  beforeEach(async () => {
    await world.begin();
    company = (await world.tenant.company()).id;
    await world.contact(CLIENT, [company]);
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const skips = async () =>
    (
      await world.service.sql.query(
        "select message_id, reason, detail from workspace_mail_skips where organisation_id = $1 order by created_at",
        [world.tenant.organisation.id],
      )
    ).rows;
  const history = async () =>
    (
      await world.service.sql.query("select history_id from workspace_mailboxes where organisation_id = $1", [
        world.tenant.organisation.id,
      ])
    ).rows[0]?.history_id;
  const notices = async (who: MailPerson, event: string) =>
    (await who.caller.get("/notifications?limit=200")).body.items.filter(
      (one: { event_type: string }) => one.event_type === event,
    );

  it("stores its start at its first poll and imports no existing messages (P16)", async () => {
    ann = await world.colleague({ polled: false });
    for (let n = 0; n < 10_000; n++) world.deliver(ann, { from: CLIENT });
    const { status, body } = await world.poll(ann);
    expect([status, body.status, body.logged]).to.deep.equal([200, "polled", 0]);
    expect(await world.rows()).to.deep.equal([]);
    expect(world.google.calls("gmail")).to.have.length.below(5);
    expect(await history()).to.equal(`${world.gmail.box(ann.google).newest}`);
  });

  it("offers a message of a client to the owner of the mailbox, with headers and snippet alone", async () => {
    ann = await world.colleague();
    const message = world.deliver(ann, { from: `Carla <${CLIENT}>`, subject: "Offer", snippet: "Yes, it&#39;s &amp; fine" });
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 1 });
    const [moment] = await world.moments(ann.caller, "&with_body=true");
    expect(moment).to.deep.include({
      status: "pending",
      source: "mail",
      kind: "email",
      direction: "inbound",
      subject: "Offer",
      snippet: "Yes, it's & fine",
      body_text: null,
      company_id: company,
      owner_user_id: ann.caller.accountId,
      mail_thread_id: message.threadId,
    });
    expect((moment as { participants: object[] }).participants[0]).to.deep.include({
      email: CLIENT,
      name: "Carla",
      role: "from",
    });
    expect(world.google.calls("gmail").filter((call) => call.includes(message.id))).to.deep.equal([
      `GET /gmail/v1/users/me/messages/${message.id}?format=metadata&metadataHeaders=From&metadataHeaders=To&metadataHeaders=Cc&metadataHeaders=Subject&metadataHeaders=Message-ID`,
    ]);
    const [notice] = await notices(ann, "interactions.email_pending");
    expect(notice.payload).to.deep.include({ title: "Offer", interaction_id: moment?.["id"] });
  });

  it("offers a message from an address with a detail behind a plus, and dates one from the future by its reading", async () => {
    ann = await world.colleague();
    const before = Date.now();
    world.deliver(ann, { from: CLIENT.replace("@", "+shop@"), subject: "Plus", at: Date.parse("2099-01-01T00:00:00Z") });
    expect((await world.poll(ann)).body.logged).to.equal(1);
    const [moment] = await world.moments(ann.caller);
    expect(moment).to.deep.include({ subject: "Plus", company_id: company });
    expect(Date.parse(moment?.["occurred_at"] as string)).to.be.within(before - 1, Date.now());
  });

  it("reads messages added since, page by page, and nothing twice", async () => {
    ann = await world.colleague();
    for (let n = 0; n < 230; n++) world.deliver(ann, { from: CLIENT });
    expect((await world.poll(ann)).body.logged).to.equal(230);
    expect((await world.poll(ann)).body.logged).to.equal(0);
    expect(await world.rows()).to.have.length(230);
    expect(await history()).to.equal(`${world.gmail.box(ann.google).newest}`);
  });

  describe("gates", () => {
    beforeEach(async () => {
      ann = await world.colleague();
    });
    const nothing = async () => {
      expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 0 });
    };

    it("passes over what its owner refused, and the threads refused with it", async () => {
      const first = world.deliver(ann, { from: CLIENT });
      await world.poll(ann);
      const [moment] = await world.moments(ann.caller);
      expect((await ann.caller.post(`/interactions/${moment?.["id"]}/reject`, { suppress_thread: true })).status).to.equal(204);
      world.deliver(ann, { from: CLIENT, threadId: first.threadId });
      await nothing();
      // The same entry of the history once more.
      await world.service.sql.query("update workspace_mailboxes set history_id = '1000' where organisation_id = $1", [
        world.tenant.organisation.id,
      ]);
      await nothing();
    });

    it("takes no draft, spam or trash, and logs a draft that is sent later once, as sent (P14)", async () => {
      const draft = world.deliver(ann, { labels: ["DRAFT"], from: ann.google.email, to: CLIENT });
      for (const label of ["SPAM", "TRASH"]) world.deliver(ann, { labels: [label], from: CLIENT });
      await nothing();
      world.gmail.send(ann.google, draft);
      expect((await world.poll(ann)).body.logged).to.equal(1);
      const [moment] = await world.moments(ann.caller);
      expect(moment).to.deep.include({ direction: "outbound" });
      expect(await world.rows()).to.have.length(1);
    });

    it("skips messages with the excluded label, by its name in any case, without fetching them (P13)", async () => {
      const label = world.gmail.label(ann.google, "Private Matters");
      await ann.caller.patch("/workspace/connections/me", { mail_excluded_label: "private matters" });
      const message = world.deliver(ann, { from: CLIENT, labels: ["INBOX", label] });
      await nothing();
      expect(world.google.calls("gmail").some((call) => call.includes(message.id))).to.equal(false);
      expect(world.google.calls("gmail").filter((call) => call.includes("/labels"))).to.have.length(1);
    });

    it("stores nothing of a message without an outside match, not even in its logs of skipped messages (P13)", async () => {
      world.deliver(ann, { from: "friend@home.example", subject: "Dinner" });
      world.deliver(ann, { from: "", to: "", subject: "Nobody" });
      await nothing();
      expect([await world.rows(), await skips()]).to.deep.equal([[], []]);
    });

    it("imports a message in two mailboxes once, for any brackets and case of the domain (P15)", async () => {
      const bob = await world.colleague();
      world.deliver(ann, { from: CLIENT, to: "list@lists.example", messageId: "<One@Example.ORG>" });
      await world.poll(ann);
      world.deliver(bob, { from: CLIENT, to: "list@lists.example", messageId: "One@example.org" });
      expect((await world.poll(bob)).body.logged).to.equal(0);
      world.deliver(bob, { from: CLIENT, to: "list@lists.example", messageId: "<one@example.org>" });
      expect((await world.poll(bob)).body.logged).to.equal(1);
    });

    it("leaves a message to the colleague whose it is by its headers, and remembers that (S13)", async () => {
      const bob = await world.colleague();
      const headers = { from: CLIENT, to: bob.google.email, cc: ann.google.email };
      const copy = world.deliver(ann, { ...headers, messageId: "<a@x.example>" });
      await nothing();
      expect(await skips()).to.deep.equal([
        { message_id: copy.id, reason: "deferred_to_owner", detail: { owner: bob.google.email } },
      ]);
      world.deliver(bob, { ...headers, messageId: "<a@x.example>" });
      expect((await world.poll(bob)).body.logged).to.equal(1);
      // Ann's sent mail is hers, regardless of other readers.
      world.deliver(ann, { labels: ["SENT"], from: bob.google.email, to: CLIENT });
      expect((await world.poll(ann)).body.logged).to.equal(1);
      // Bob no longer has his mailbox read, so that Ann's counts.
      await bob.caller.patch("/workspace/connections/me", { mail_sync_enabled: false });
      world.deliver(ann, { ...headers, messageId: "<b@x.example>" });
      expect((await world.poll(ann)).body.logged).to.equal(1);
    });

    it("claims a message in Bcc only where no colleague is in its headers (S13)", async () => {
      const bob = await world.colleague();
      world.deliver(ann, { from: CLIENT, to: bob.google.email });
      await nothing();
      world.deliver(ann, { from: CLIENT, to: "dora@client.example" });
      expect((await world.poll(ann)).body.logged).to.equal(1);
    });

    it("takes no message between colleagues, unless the organisation says so, and then for review (S14)", async () => {
      const agency = (await world.tenant.company({ name: "Agency" })).id;
      await world.contact(ann.caller.email, [agency]);
      const other = await world.tenant.member("member");
      world.deliver(ann, { from: other.email, to: ann.google.email });
      await nothing();
      await world.workspace.configure({ mail_log_internal: true, mail_approval_mode: "auto_approve" });
      world.deliver(ann, { from: other.email, to: ann.google.email });
      expect((await world.poll(ann)).body.logged).to.equal(1);
      const [moment] = await world.moments(ann.caller);
      expect(moment).to.deep.include({ status: "pending", company_id: agency });
    });

    it("matches outsiders alone: a newsletter to a colleague who is a contact of the agency matches nobody (S12)", async () => {
      const agency = (await world.tenant.company({ name: "Agency" })).id;
      await world.contact(ann.caller.email, [agency]);
      world.deliver(ann, { from: "news@letters.example", to: ann.google.email });
      await nothing();
    });

    it("takes an invited client for a client, with the whole company (S11)", async () => {
      const client = await world.tenant.member("client");
      const theirs = (await world.tenant.company()).id;
      // Invited directly: a login with the client role, and a contact that is not attached to it.
      await world.contact(client.email, [theirs]);
      await world.contact("colleague@theirs.example", [theirs]);
      world.deliver(ann, { from: client.email });
      world.deliver(ann, { from: "colleague@theirs.example" });
      expect((await world.poll(ann)).body.logged).to.equal(2);
      expect((await world.moments(ann.caller)).map((one) => one["company_id"])).to.deep.equal([theirs, theirs]);
    });
  });
});
