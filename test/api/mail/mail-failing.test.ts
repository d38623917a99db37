import { expect } from "chai";
import { lendMail } from "../../../operator/organisations.ts";
import { settled, until } from "../../support/jobs.ts";
import { MailWorld, resetMail } from "../../support/mail/mail-world.ts";

describe("mail that is not taken", () => {
  const world = new MailWorld();
  const { mailbox, brevo } = world;

  before(() => world.start());
  after(() => world.stop());
  beforeEach(() => world.renew());

  describe("a relay that does not take it", () => {
    it("for now (4yz): tried again, under the same Message-ID, and taken once", async () => {
      mailbox.fail({ at: "rcpt", code: 450, text: "mailbox busy" }, { at: "data", code: 451, text: "try later" });
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      const waiting = await until(async () => {
        const found = await world.row(id);
        return found.last_error ? found : null;
      });
      expect(waiting).to.include({ status: "queued" });
      expect(waiting.last_error).to.contain("mailbox busy");
      expect(await world.ended(id)).to.equal("sent");
      expect(await world.row(id)).to.include({ attempts: 3, last_error: null });
      expect(mailbox.delivered.map(({ mail }) => mail.messageId)).to.deep.equal([`<${id}@kantoor.test>`]);
    });

    it("permanently (5yz): failed at once, and the reason is visible to permitted members", async () => {
      mailbox.fail({ at: "rcpt", code: 550, text: `no such person ${"x".repeat(700)}` });
      const { id } = await world.promiseOne(resetMail("nobody@noord.test"));
      expect(await world.ended(id)).to.equal("failed");
      const stored = await world.row(id);
      expect(stored).to.include({ status: "failed", attempts: 1, sent_at: null });
      expect(stored.last_error).to.contain("no such person").and.have.length.at.most(500);
      const { body } = await world.tenant.owner.get("/settings/email");
      expect(body.last_failure).to.deep.include({ kind: "reset", error: stored.last_error });
      expect(body.last_failure.failed_at).to.be.a("string");
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([]);
    });

    it("again and again: given up after eight attempts", async () => {
      mailbox.fail(...Array.from({ length: 20 }, () => ({ at: "data" as const, code: 451, text: "not today" })));
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      expect(await world.ended(id)).to.equal("failed");
      const stored = await world.row(id);
      expect(stored.attempts).to.equal(8);
      expect(stored.last_error).to.contain("not today");
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([]);
    });

    it("one failing recipient delays no other", async () => {
      mailbox.fail({ at: "rcpt", code: 450, text: "busy" });
      const mails = await world.promise(...["a", "b", "c", "d"].map((name) => resetMail(`${name}@x.test`)));
      await until(() => mailbox.delivered.length === 3);
      for (const { id } of mails) await world.ended(id);
      expect(new Set(mailbox.delivered.map(({ mail }) => mail.messageId)).size).to.equal(4);
    });
  });

  describe("a service that does not take it", () => {
    beforeEach(() =>
      world.tenant.owner.put("/settings/email", { provider: "brevo", from_address: "post@noord.test", secret: brevo.key }),
    );
    afterEach(() => expect(brevo.complaints).to.deep.equal([]));

    it("in trouble (429, 5xx, silence): tried again, and taken once although an answer was lost", async () => {
      brevo.fail({ kind: "reply", status: 503, body: "" }, { kind: "lose" });
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      expect(await world.ended(id)).to.equal("sent");
      expect(await world.row(id)).to.include({ transport: "brevo", last_error: null });
      expect(brevo.taken.map(({ messageId }) => messageId)).to.deep.equal([`<${id}@kantoor.test>`]);
    });

    it("a refusal: failed at once, with the service's words and without the key", async () => {
      brevo.refuse({ status: 400, body: { code: "invalid_parameter", message: `sender unknown ${brevo.key}` } });
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      expect(await world.ended(id)).to.equal("failed");
      const { last_error } = await world.row(id);
      expect(last_error).to.contain("invalid_parameter sender unknown").and.not.to.contain(brevo.key);
    });
  });

  it("an address with several recipients gets nothing, and the promiser of the mail is notified", async () => {
    const addresses = [
      "eva",
      "eva@x.test, other@x.test",
      "eva@x.test\r\nBcc: other@x.test",
      "Eva <eva@x.test>",
      "@x.test",
      "eva @x.test",
    ];
    const promised = await world.promise(...addresses.map((address) => resetMail(address)));
    for (const { id, sent, error } of promised) {
      expect([sent, error]).to.deep.equal([false, "errors.invalid_email"]);
      expect(await world.row(id)).to.include({ status: "failed", last_error: "errors.invalid_email" });
    }
  });

  describe("no transport", () => {
    beforeEach(() => lendMail(world.service.sql, world.tenant.organisation.id, false));

    it("is reported to the promiser of the mail, and undoes nothing", async () => {
      const { id, sent, error, token_hash } = await world.promiseOne(resetMail("eva@noord.test"));
      expect([sent, error]).to.deep.equal([false, "errors.email_not_configured"]);
      expect(token_hash).to.match(/^[0-9a-f]{64}$/);
      expect(await world.row(id)).to.include({ status: "failed", last_error: "errors.email_not_configured", attempts: 0 });
      await settled(world.service);
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([]);
    });

    it("a transport withdrawn while a mail waited sends nothing, and nothing else does", async () => {
      await lendMail(world.service.sql, world.tenant.organisation.id, true);
      await world.tenant.owner.put("/settings/email", { provider: "instance" });
      mailbox.fail({ at: "data", code: 451, text: "later" });
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      await world.failedOnce(id);
      await lendMail(world.service.sql, world.tenant.organisation.id, false);
      expect(await world.ended(id)).to.equal("failed");
      expect((await world.row(id)).last_error).to.equal("errors.email_not_configured");
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([]);
    });
  });

  it("a suspended organisation sends nothing until it is active again", async () => {
    mailbox.fail({ at: "data", code: 451, text: "later" });
    const { id } = await world.promiseOne(resetMail("eva@noord.test"));
    await world.failedOnce(id);
    const put = (status: string) =>
      world.service.sql.query("update organisations set status = $2 where id = $1", [world.tenant.organisation.id, status]);
    await put("suspended");
    // The job engine knows an organisation as it was at most a second ago.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await world.hurry();
    const other = await world.service.tenant();
    const [{ id: later }] = (await other.owner.post("/proof/mails", { mails: [resetMail("other@x.test")] })).body;
    await world.ended(later);
    expect(mailbox.to("eva@noord.test")).to.have.length(0);
    expect(await world.row(id)).to.include({ status: "queued", attempts: 1 });
    await put("active");
    expect(await world.ended(id)).to.equal("sent");
  });

  it("a mail older than a day is not sent any more", async () => {
    mailbox.fail({ at: "data", code: 451, text: "later" });
    const { id } = await world.promiseOne(resetMail("eva@noord.test"));
    await world.failedOnce(id);
    await world.service.sql.query("update mails set created_at = now() - interval '25 hours' where id = $1", [id]);
    expect(await world.ended(id)).to.equal("failed");
    expect((await world.row(id)).last_error).to.equal("errors.email_expired");
    expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([]);
  });

  it("an organisation's own relay in a private network is refused when mail is sent", async () => {
    await world.tenant.owner.put("/settings/email", {
      provider: "smtp",
      host: "relay.noord.test",
      from_address: "a@noord.test",
      security: "none",
    });
    await world.service.sql.query("update email_settings set host = '127.0.0.1', port = $2 where organisation_id = $1", [
      world.tenant.organisation.id,
      mailbox.port,
    ]);
    const { id } = await world.promiseOne(resetMail("eva@noord.test"));
    expect(await world.ended(id)).to.equal("failed");
    expect((await world.row(id)).last_error).to.equal("'127.0.0.1' is not a public address");
    expect(mailbox.connections).to.equal(0);
  });
});
