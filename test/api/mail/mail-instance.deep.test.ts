import { expect } from "chai";
import { lendMail } from "../../../operator/organisations.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const RELAY = { provider: "smtp", host: "127.0.0.1", from_address: "post@noord.test", security: "none" };

describe("the instance's transport of mail", () => {
  const mailbox = new Mailbox();
  let lending: TestService;
  let there: Tenant;
  const include = (included: boolean) => lendMail(lending.sql, there.organisation.id, included);

  before(async () => {
    await mailbox.start();
    lending = await startService(relayOf(mailbox));
  });
  after(async () => {
    await lending.stop();
    await mailbox.stop();
  });
  beforeEach(async () => {
    mailbox.reset();
    there = await lending.tenant();
  });

  it("sends for organisations without settings, as the organisation, and can be on the internal network", async () => {
    expect((await there.owner.get("/settings/email")).body).to.include({
      active_provider: "instance",
      instance_available: true,
      provider: null,
      has_secret: false,
    });
    expect((await there.owner.post("/settings/email/test", {})).body).to.deep.equal({ ok: true, error: null });
    expect(mailbox.delivered[0]?.mail.from).to.deep.include({ address: "post@kantoor.test", name: there.organisation.name });
  });

  it("can be chosen, with one's own name and reply address", async () => {
    const { body } = await there.owner.put("/settings/email", {
      provider: "instance",
      from_name: "Noord",
      reply_to: "a@noord.test",
    });
    expect(body).to.include({ provider: "instance", active_provider: "instance", has_secret: false, from_address: null });
    await there.owner.post("/settings/email/test", {});
    expect(mailbox.delivered[0]?.mail.from).to.deep.include({ address: "post@kantoor.test", name: "Noord" });
    expect(mailbox.delivered[0]?.mail.replyTo?.[0]?.address).to.equal("a@noord.test");
  });

  it("sends nowhere once withdrawn from an organisation that chose it, and is never rerouted", async () => {
    await there.owner.put("/settings/email", { provider: "instance" });
    await include(false);
    expect((await there.owner.get("/settings/email")).body).to.include({
      provider: "instance",
      active_provider: null,
      instance_available: false,
    });
    expect((await there.owner.post("/settings/email/test", {})).body).to.deep.equal({
      ok: false,
      error: "errors.email_not_configured",
    });
    await include(true);
    expect((await there.owner.get("/settings/email")).body.active_provider).to.equal("instance");
  });

  it("is not there for an organisation that is not included", async () => {
    await include(false);
    expect((await there.owner.get("/settings/email")).body).to.include({ active_provider: null, instance_available: false });
  });

  it("never replaces an incomplete own transport", async () => {
    await there.owner.put("/settings/email", { provider: "brevo", from_address: "a@b.nl", secret: "key-of-brevo" });
    await lending.sql.query("update email_settings set secret = null where organisation_id = $1", [there.organisation.id]);
    expect((await there.owner.get("/settings/email")).body).to.include({ active_provider: null, instance_available: true });
    expect(mailbox.delivered).to.deep.equal([]);
  });

  it("does not open the internal network to an organisation's relay", async () => {
    for (const host of ["127.0.0.1", "10.0.0.8", "169.254.169.254", "[::1]", "::ffff:127.0.0.1", "0x7f000001"]) {
      const { status, body } = await there.owner.put("/settings/email", { ...RELAY, host });
      expect([host, status, body.error?.fields]).to.deep.equal([host, 422, { host: "errors.validation" }]);
    }
    await there.owner.put("/settings/email", { ...RELAY, host: "localhost", port: mailbox.port });
    const { status, body } = await there.owner.post("/settings/email/test", {});
    expect([status, body.ok]).to.deep.equal([200, false]);
    expect(mailbox.connections).to.equal(0);
  });
});
