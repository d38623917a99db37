import { expect } from "chai";
import { BrevoSimulator, SendgridSimulator, Smtp2goSimulator } from "../../simulators/mail-apis.ts";
import { mailWithFiles } from "../../support/mail/mail-world.ts";
import { proofMail } from "../../support/mail/proof-mail.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const simulators = {
  brevo: new BrevoSimulator(),
  sendgrid: new SendgridSimulator(),
  smtp2go: new Smtp2goSimulator(),
};
const all = Object.entries(simulators) as [keyof typeof simulators, (typeof simulators)["brevo"]][];

describe("mail services", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;

  before(async () => {
    for (const [, simulator] of all) await simulator.start();
    service = await startService(
      {
        SERVICE_MAIL_BREVO_API_URL: simulators.brevo.baseUrl,
        SERVICE_MAIL_SENDGRID_API_URL: simulators.sendgrid.baseUrl,
        SERVICE_MAIL_SMTP2GO_API_URL: simulators.smtp2go.baseUrl,
      },
      [proofMail],
    );
  });
  after(async () => {
    await service.stop();
    for (const [, simulator] of all) await simulator.stop();
  });
  beforeEach(async () => {
    for (const [, simulator] of all) simulator.reset();
    // A separate organisation for every test: circuits and limits are counted by account.
    tenant = await service.tenant();
    owner = tenant.owner;
  });
  afterEach(() => {
    for (const [name, { complaints }] of all) expect(complaints, name).to.deep.equal([]);
  });

  for (const [provider, simulator] of all) {
    const settings = () => ({
      provider,
      from_address: "post@noord.test",
      from_name: 'Atelier "Noord" <x>',
      reply_to: "info@noord.test",
      secret: simulator.key,
    });
    const test = (call?: object) => owner.post("/settings/email/test", {}, call);

    describe(provider, () => {
      it("takes a whole mail, exactly as the service asks for it", async () => {
        expect((await owner.put("/settings/email", settings())).body).to.include({ active_provider: provider });
        const { status, body } = await test();
        expect([status, body]).to.deep.equal([200, { ok: true, error: null }]);
        const [taken] = simulator.taken;
        expect(simulator.taken).to.have.length(1);
        expect(taken).to.include({
          to: owner.email,
          from: "post@noord.test",
          fromName: 'Atelier "Noord" <x>',
          replyTo: "info@noord.test",
          subject: `Testbericht van ${tenant.organisation.name}`,
        });
        expect(taken?.toName).to.match(/^owner \d+$/);
        expect(taken?.messageId).to.match(/^<[0-9a-f-]{36}@kantoor\.test>$/);
        expect(taken?.text).to.contain("Dit is een testbericht.");
        expect(taken?.html).to.contain("<!doctype html>");
      });

      it("sends while an idempotency key is held", async () => {
        await owner.put("/settings/email", settings());
        const keyed = { headers: { "Idempotency-Key": `test-${provider}` } };
        expect((await test(keyed)).body).to.deep.equal({ ok: true, error: null });
        expect((await test(keyed)).headers["idempotent-replayed"]).to.equal("true");
        expect(simulator.taken).to.have.length(1);
      });

      it("a wrong key is the answer, without the key", async () => {
        await owner.put("/settings/email", { ...settings(), secret: "a-wrong-key-0123456789" });
        const { status, body, text } = await test();
        expect([status, body.ok]).to.deep.equal([200, false]);
        expect(body.error).to.match(/^(Brevo|SendGrid|SMTP2GO) answered 401: \S/);
        expect(text).not.to.contain("a-wrong-key");
      });

      it("a refusal is the answer, in the service's words, without a secret they repeat", async () => {
        await owner.put("/settings/email", settings());
        const said = `sender not verified ${simulator.key}`;
        simulator.refuse({
          status: 400,
          body: { code: "invalid", message: said, errors: [{ message: said }], data: { error: said } },
        });
        const { body } = await test();
        expect(body.ok).to.equal(false);
        expect(body.error).to.contain("answered 400").and.to.contain("sender not verified").and.not.to.contain(simulator.key);
      });

      it("a failing service is an answer, never our error", async () => {
        await owner.put("/settings/email", settings());
        for (const status of [429, 500, 503]) {
          simulator.fail({ kind: "reply", status, body: "<h1>oops</h1>" });
          const { status: answered, body } = await test();
          expect([answered, body.ok]).to.deep.equal([200, false]);
          expect(body.error).to.be.a("string").with.length.within(5, 500);
          tenant = await service.tenant();
          owner = tenant.owner;
          await owner.put("/settings/email", settings());
        }
        simulator.fail({ kind: "drop" });
        expect((await test()).body.ok).to.equal(false);
      });
    });
  }

  it("takes files, and a picture inside the text where the service can show one", async () => {
    for (const [provider, simulator] of all) {
      tenant = await service.tenant();
      await tenant.owner.put("/settings/email", { provider, from_address: "a@b.nl", secret: simulator.key });
      const { body } = await tenant.owner.post("/proof/mails/now", { mail: mailWithFiles() });
      expect(body, provider).to.deep.equal({ accepted: true });
      const [taken] = simulator.taken;
      const type = provider === "brevo" ? null : "application/pdf";
      expect(taken?.files, provider).to.deep.equal([{ name: "2026-0001.pdf", type, bytes: Buffer.from("%PDF-1.7") }]);
      const shown = provider !== "brevo";
      const picture = { name: "invoice-qr.png", type: "image/png", bytes: Buffer.from("PNG") };
      expect(taken?.pictures, provider).to.deep.equal(shown ? [picture] : []);
      expect(taken?.html.includes('src="cid:invoice-qr.png"'), provider).to.equal(shown);
    }
  });

  it("hands one message to several recipients by every service, and reports those that one of them refused", async () => {
    const to = { address: "a@noord.test", also: ["b@noord.test", "c@noord.test"], name: "Eva", locale: "nl" };
    for (const [provider, simulator] of all) {
      tenant = await service.tenant();
      await tenant.owner.put("/settings/email", { provider, from_address: "a@b.nl", secret: simulator.key });
      const { body } = await tenant.owner.post("/proof/mails/now", { mail: mailWithFiles({ to }) });
      expect(body, provider).to.deep.equal({ accepted: true });
      const taken = simulator.taken.map(({ to: first, also }) => [first, ...also]);
      expect(taken, provider).to.deep.equal([[to.address, ...to.also]]);
    }
    tenant = await service.tenant();
    await tenant.owner.put("/settings/email", { provider: "brevo", from_address: "a@b.nl", secret: simulators.brevo.key });
    const { taken } = simulators.brevo;
    const [mail, before] = [mailWithFiles({ to }), taken.length];
    // The second attempt of a node that died before it stored the answer of the first.
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await tenant.owner.post("/proof/mails/now", { mail })).body).to.deep.equal({ accepted: true });
    expect(taken.length - before, "once for every recipient").to.equal(1);
    tenant = await service.tenant();
    await tenant.owner.put("/settings/email", { provider: "smtp2go", from_address: "a@b.nl", secret: simulators.smtp2go.key });
    const failures = ["b@noord.test: mailbox unavailable"];
    simulators.smtp2go.refuse({ status: 200, body: { request_id: "x", data: { succeeded: 2, failed: 1, failures } } });
    const { body } = await tenant.owner.post("/proof/mails/now", { mail: mailWithFiles({ to }) });
    expect(body).to.deep.equal({ accepted: true, refused: ["b@noord.test"] });
  });

  it("SMTP2GO: 200 with a failed recipient is a refusal", async () => {
    const { smtp2go } = simulators;
    await owner.put("/settings/email", { provider: "smtp2go", from_address: "a@b.nl", secret: smtp2go.key });
    smtp2go.refuse({
      status: 200,
      body: { request_id: "x", data: { succeeded: 0, failed: 1, failures: ["unable to verify sender"] } },
    });
    const { body } = await owner.post("/settings/email/test", {});
    expect(body).to.deep.equal({ ok: false, error: "SMTP2GO answered 200: unable to verify sender" });
  });
});
