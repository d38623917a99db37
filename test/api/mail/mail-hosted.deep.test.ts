import { expect } from "chai";
import { settled } from "../../support/jobs.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { mailedTo } from "../../support/mail/mailed.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const ADDRESS = "victim@elsewhere.test";

describe("mail that opens an account, where organisations are strangers to each other", () => {
  const [operators, own] = [new Mailbox(), new Mailbox()];
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await operators.start();
    await own.start();
    service = await startService({
      ...relayOf(operators),
      SERVICE_POSTURE: "hosted",
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
    });
  });
  after(async () => {
    await service.stop();
    await operators.stop();
    await own.stop();
  });
  beforeEach(async () => {
    operators.reset();
    own.reset();
    tenant = await service.tenant();
    const relay = { provider: "smtp", host: "127.0.0.1", port: own.port, security: "none", from_address: "post@noord.test" };
    expect((await tenant.owner.put("/settings/email", relay)).status).to.equal(200);
  });
  const recipients = ({ delivered }: Mailbox) => delivered.flatMap(({ to }) => to);

  it("leaves by the operator's transport, whatever the organisation's relay", async () => {
    const { body } = await tenant.owner.post("/members/invite", { email: ADDRESS, send_email: true });
    const reported = (member: Record<string, unknown>) => [
      member["invite_email_status"],
      member["invite_email_sent"],
      member["invite_email_error"],
    ];
    expect(reported(body), "under way").to.deep.equal(["queued", null, null]);
    await settled(service);
    const listed = (await tenant.owner.get("/members")).body.find(({ email }: { email: string }) => email === ADDRESS);
    expect(reported(listed)).to.deep.equal(["sent", true, null]);
    await service.call("POST", "/auth/forgot-password", { host: tenant.host, body: { email: ADDRESS } });
    await settled(service);
    expect((await mailedTo(service.sql, ADDRESS)).map(({ kind }) => kind)).to.deep.equal(["invite", "reset"]);
    expect(recipients(operators)).to.deep.equal([ADDRESS, ADDRESS]);
    expect(recipients(own)).to.deep.equal([]);
  });

  it("shows on the member that the relay refused it, with its own words, to who polls for changes too", async () => {
    operators.fail({ at: "rcpt", code: 550, text: "no such person" });
    const { body } = await tenant.owner.post("/members/invite", { email: ADDRESS, send_email: true });
    expect(body).to.include({ invite_email_status: "queued", invite_email_sent: null });
    const since = new Date().toISOString();
    await settled(service);
    const [member] = (await tenant.owner.get(`/members?updated_since=${since}`)).body;
    expect(member).to.include({ email: ADDRESS, invite_email_status: "failed", invite_email_sent: false });
    expect(member.invite_email_error).to.contain("no such person");
    const again = await tenant.owner.post(`/members/${member.membership_id}/resend`);
    expect([again.status, again.body.invite_email_status]).to.deep.equal([200, "queued"]);
    await settled(service);
    const [sent] = (await tenant.owner.get(`/members?updated_since=${since}`)).body;
    expect(sent).to.include({ invite_email_status: "sent", invite_email_sent: true, invite_email_error: null });
  });

  it("does so for an organisation that may not use that transport for mail of its own", async () => {
    await service.sql.query("update organisations set instance_mail = false where id = $1", [tenant.organisation.id]);
    await tenant.owner.post("/members/invite", { email: ADDRESS, send_email: true });
    await settled(service);
    expect([recipients(operators), recipients(own)]).to.deep.equal([[ADDRESS], []]);
  });

  it("leaves every other mail to the organisation's relay", async () => {
    expect((await tenant.owner.post("/settings/email/test", {})).body).to.deep.equal({ ok: true, error: null });
    expect([recipients(operators), recipients(own).length]).to.deep.equal([[], 1]);
  });
});

describe("mail that opens an account, on a hosted installation without a transport of its own", () => {
  it("is not sent, and the invite says so", async () => {
    const own = new Mailbox();
    await own.start();
    const service = await startService({ SERVICE_POSTURE: "hosted", SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
    try {
      const { owner } = await service.tenant();
      const relay = { provider: "smtp", host: "127.0.0.1", port: own.port, security: "none", from_address: "post@noord.test" };
      await owner.put("/settings/email", relay);
      const { status, body } = await owner.post("/members/invite", { email: ADDRESS, send_email: true });
      expect([status, body.invite_email_sent, body.invite_email_error]).to.deep.equal([
        201,
        false,
        "errors.email_not_configured",
      ]);
      await settled(service);
      expect(own.delivered).to.deep.equal([]);
    } finally {
      await service.stop();
      await own.stop();
    }
  });
});
