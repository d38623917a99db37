import { expect } from "chai";
import { Mailbox } from "../../support/mail/mailbox.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const SECRET = "a-password-nobody-else-has";
const RELAY = { provider: "smtp", host: "127.0.0.1", from_address: "post@noord.test", security: "none" };
const NOTHING = {
  provider: null,
  from_address: null,
  from_name: null,
  reply_to: null,
  host: null,
  port: null,
  security: null,
  username: null,
  has_secret: false,
  active_provider: null,
  instance_available: false,
  last_failure: null,
};

describe("settings of mail", () => {
  const mailbox = new Mailbox({
    onAuth: ({ username, password }, _session, done) =>
      password === SECRET ? done(null, { user: username ?? "" }) : done(new Error(`wrong password ${password}`)),
    authOptional: true,
  });
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  let relay: Record<string, unknown>;

  before(async () => {
    await mailbox.start();
    relay = { ...RELAY, port: mailbox.port };
    service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
  });
  after(async () => {
    await service.stop();
    await mailbox.stop();
  });
  beforeEach(async () => {
    mailbox.reset();
    tenant = await service.tenant();
    owner = tenant.owner;
  });

  const trailOf = async () =>
    (
      await service.sql.query(
        "select action, payload from activity where organisation_id = $1 and entity_type = 'email_settings' order by id",
        [tenant.organisation.id],
      )
    ).rows;

  describe("GET /settings/email", () => {
    it("reports that nothing is stored and nothing would send", async () => {
      const { status, body, headers } = await owner.get("/settings/email");
      expect([status, body]).to.deep.equal([200, NOTHING]);
      expect(headers.etag).to.equal('"0"');
    });

    it("needs settings.email.manage", async () => {
      const other = await tenant.member("admin", { grants: ["companies.company.read", "settings.branding.write"] });
      for (const answer of [
        await other.get("/settings/email"),
        await other.put("/settings/email", relay),
        await other.delete("/settings/email"),
        await other.post("/settings/email/test", {}),
        await other.get("/settings/email/templates"),
        await other.put("/settings/email/templates", { templates: [] }),
        await other.post("/settings/email/templates/test", { kind: "reset" }),
      ])
        expect(answer.status).to.equal(403);
      const allowed = await tenant.member("member", { grants: ["settings.email.manage"] });
      expect((await allowed.get("/settings/email")).status).to.equal(200);
    });
  });

  describe("PUT /settings/email", () => {
    it("stores a relay, and reports the stored and the effective transport", async () => {
      const sent = { ...relay, username: "noord", secret: SECRET, from_name: " Atelier Noord ", reply_to: "info@noord.test" };
      const { status, body } = await owner.put("/settings/email", sent);
      expect(status).to.equal(200);
      const { secret: _secret, ...shown } = sent;
      expect(body).to.deep.equal({
        ...NOTHING,
        ...shown,
        from_name: "Atelier Noord",
        has_secret: true,
        active_provider: "smtp",
      });
      expect((await owner.get("/settings/email")).body).to.deep.equal(body);
    });

    it("stores addresses in lower case (conventions §9)", async () => {
      const sent = { ...relay, from_address: " Desk@Noord.test ", reply_to: "INFO@noord.test" };
      const { body } = await owner.put("/settings/email", sent);
      expect(body).to.include({ from_address: "desk@noord.test", reply_to: "info@noord.test" });
    });

    it("fills in the usual port and protection of a relay", async () => {
      const ports: [Record<string, unknown>, [string, number]][] = [
        [{}, ["starttls", 587]],
        [{ security: "starttls", port: null }, ["starttls", 587]],
        [{ security: "tls" }, ["tls", 465]],
        [{ security: "none" }, ["none", 25]],
        [{ security: "tls", port: 2465 }, ["tls", 2465]],
      ];
      for (const [given, [security, port]] of ports) {
        const { body } = await owner.put("/settings/email", {
          provider: "smtp",
          host: "relay.noord.test",
          from_address: "a@b.nl",
          ...given,
        });
        expect([body.security, body.port]).to.deep.equal([security, port]);
      }
    });

    const api = { provider: "brevo", from_address: "a@noord.test", secret: "xkeysib-made-up" };
    const faults: [string, object, Record<string, string>][] = [
      ["a relay without a host", { provider: "smtp", from_address: "a@b.nl" }, { host: "errors.required" }],
      ["a relay with a blank host", { ...RELAY, host: "  " }, { host: "errors.required" }],
      ["a host that is none", { ...RELAY, host: "relay example" }, { host: "errors.validation" }],
      ["a host with a port in it", { ...RELAY, host: "relay.test:25" }, { host: "errors.validation" }],
      ["a relay without a from address", { ...RELAY, from_address: null }, { from_address: "errors.required" }],
      ["brevo without a key", { ...api, secret: "" }, { secret: "errors.required" }],
      ["sendgrid without a key", { ...api, provider: "sendgrid", secret: null }, { secret: "errors.required" }],
      ["smtp2go without a key", { provider: "smtp2go", from_address: "a@b.nl" }, { secret: "errors.required" }],
      ["a service without a from address", { ...api, from_address: " " }, { from_address: "errors.required" }],
      ["nothing but the provider", { provider: "smtp" }, { host: "errors.required", from_address: "errors.required" }],
      ["a from address that is none", { ...api, from_address: "noord" }, { from_address: "errors.invalid_email" }],
      [
        "a from address with a header in it",
        { ...api, from_address: "a@b.nl\r\nBcc: c@d.nl" },
        { from_address: "errors.validation" },
      ],
      ["a reply address that is none", { ...api, reply_to: "noord" }, { reply_to: "errors.invalid_email" }],
      ["another provider", { ...api, provider: "mailgun" }, { provider: "errors.validation" }],
      ["no provider", { from_address: "a@b.nl" }, { provider: "errors.required" }],
      ["a port out of range", { ...RELAY, port: 70_000 }, { port: "errors.validation" }],
      ["another protection", { ...RELAY, security: "ssl" }, { security: "errors.validation" }],
    ];
    for (const [what, body, fields] of faults)
      it(`refuses ${what}`, async () => {
        const answer = await owner.put("/settings/email", body);
        expect([answer.status, answer.body?.error?.fields]).to.deep.equal([422, fields]);
        expect((await owner.get("/settings/email")).body).to.deep.equal(NOTHING);
      });

    it("refuses the instance's transport if this organisation has none", async () => {
      const { status, body } = await owner.put("/settings/email", { provider: "instance" });
      expect([status, body.error.code, body.error.message]).to.deep.equal([409, "conflict", "errors.instance_email_unavailable"]);
    });

    it("replaces the whole: omitted fields are empty again, except for the secret", async () => {
      await owner.put("/settings/email", { ...relay, username: "noord", secret: SECRET, reply_to: "info@noord.test" });
      for (const secret of [undefined, null, ""]) {
        const { body } = await owner.put("/settings/email", { ...relay, username: "noord", secret });
        expect(body).to.include({ reply_to: null, has_secret: true, active_provider: "smtp" });
      }
      expect((await owner.post("/settings/email/test", {})).body).to.deep.equal({ ok: true, error: null });
      expect(mailbox.delivered.at(-1)).to.include({ user: "noord" });
    });

    it("never sends the secret of one provider to another", async () => {
      await owner.put("/settings/email", { ...relay, username: "noord", secret: SECRET });
      const { status, body } = await owner.put("/settings/email", { provider: "brevo", from_address: "a@b.nl" });
      expect([status, body.error.fields]).to.deep.equal([422, { secret: "errors.required" }]);
      await owner.put("/settings/email", { provider: "brevo", from_address: "a@b.nl", secret: "key-of-brevo" });
      const back = await owner.put("/settings/email", { ...relay, username: "noord" });
      expect(back.body).to.include({ has_secret: false, active_provider: null });
    });

    it("never sends the secret of one relay to another", async () => {
      await owner.put("/settings/email", { ...RELAY, username: "noord", secret: SECRET });
      const same = { ...RELAY, username: "noord", host: ` ${RELAY.host.toUpperCase()}` };
      expect((await owner.put("/settings/email", same)).body).to.include({ has_secret: true });
      for (const elsewhere of [{ host: "collector.example" }, { port: 2525 }, { security: "tls" }]) {
        await owner.put("/settings/email", { ...same, secret: SECRET });
        const { status, body } = await owner.put("/settings/email", { ...same, ...elsewhere });
        expect([elsewhere, status, body.has_secret]).to.deep.equal([elsewhere, 200, false]);
        expect((await owner.put("/settings/email", same)).body, "it does not come back").to.include({ has_secret: false });
      }
    });

    it("stores only the fields that a service uses", async () => {
      const { body } = await owner.put("/settings/email", {
        ...relay,
        provider: "sendgrid",
        secret: "SG.made-up",
        username: "x",
      });
      expect(body).to.include({ host: null, port: null, username: null, active_provider: "sendgrid" });
    });

    it("stores the secret sealed, and shows it nowhere", async () => {
      const { text } = await owner.put("/settings/email", { ...relay, username: "noord", secret: SECRET });
      const { rows } = await service.sql.query("select * from email_settings where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows[0].secret).to.match(/^v1\./);
      const everywhere = [
        text,
        JSON.stringify(rows),
        JSON.stringify(await trailOf()),
        (await owner.get("/settings/email")).text,
        (await owner.get(`/activity?entity_type=email_settings&entity_id=${rows[0].id}`)).text,
      ];
      for (const place of everywhere) expect(place).not.to.contain(SECRET);
    });

    it("treats a secret that no longer decrypts as missing, without an error", async () => {
      await owner.put("/settings/email", { provider: "brevo", from_address: "a@b.nl", secret: "key-of-brevo" });
      await service.sql.query("update email_settings set secret = 'v1.00000000.AAAA.BBBB.CCCC' where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      const { status, body } = await owner.get("/settings/email");
      expect(status).to.equal(200);
      expect(body).to.include({ provider: "brevo", has_secret: false, active_provider: null });
      expect((await owner.post("/settings/email/test", {})).body).to.deep.equal({
        ok: false,
        error: "errors.email_not_configured",
      });
    });

    it("records changes on the trail without secrets, and nothing without a change", async () => {
      await owner.put("/settings/email", { ...relay, username: "noord", secret: SECRET });
      await owner.put("/settings/email", { ...relay, username: "noord" });
      await owner.put("/settings/email", { ...relay, username: "zuid", secret: "another-one" });
      expect(await trailOf()).to.deep.equal([
        { action: "created", payload: {} },
        {
          action: "updated",
          payload: { changes: { username: { from: "noord", to: "zuid" }, has_secret: { from: true, to: true } } },
        },
      ]);
    });

    it("writes only while If-Match holds", async () => {
      const first = await owner.put("/settings/email", relay, { headers: { "If-Match": '"0"' } });
      expect([first.status, first.headers.etag]).to.deep.equal([200, '"1"']);
      const stale = await owner.put("/settings/email", { ...relay, from_name: "x" }, { headers: { "If-Match": '"0"' } });
      expect(stale.status).to.equal(412);
      expect((await owner.delete("/settings/email", { headers: { "If-Match": '"7"' } })).status).to.equal(412);
      expect(
        (await owner.put("/settings/email", { ...relay, from_name: "x" }, { headers: { "If-Match": '"1"' } })).status,
      ).to.equal(200);
    });

    it("keeps one row when two first writes come at once", async () => {
      const answers = await Promise.all([1, 2, 3].map((n) => owner.put("/settings/email", { ...relay, from_name: `Name ${n}` })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    });
  });

  describe("DELETE /settings/email", () => {
    it("forgets everything, secret included, and may be repeated", async () => {
      await owner.put("/settings/email", { ...relay, username: "noord", secret: SECRET });
      expect((await owner.delete("/settings/email")).status).to.equal(204);
      expect((await owner.get("/settings/email")).body).to.deep.equal(NOTHING);
      expect((await owner.delete("/settings/email")).status).to.equal(204);
      expect((await trailOf()).map(({ action }: { action: string }) => action)).to.deep.equal(["created", "deleted"]);
      await owner.put("/settings/email", { ...relay, username: "noord" });
      expect((await owner.get("/settings/email")).body).to.include({ has_secret: false, active_provider: null });
    });
  });

  describe("POST /settings/email/test", () => {
    it("sends to the caller now", async () => {
      await owner.put("/settings/email", { ...relay, from_name: "Atelier Noord", reply_to: "info@noord.test" });
      const { status, body } = await owner.post("/settings/email/test", {});
      expect([status, body]).to.deep.equal([200, { ok: true, error: null }]);
      const [{ to, mail } = { to: [], mail: null }] = mailbox.delivered;
      expect(to).to.deep.equal([owner.email]);
      expect(mail?.from).to.deep.include({ address: "post@noord.test", name: "Atelier Noord" });
      expect(mail?.replyTo?.map(({ address }) => address)).to.deep.equal(["info@noord.test"]);
      expect(mail?.subject).to.match(/^Testbericht van /);
    });

    it("sends to the address named, even for a service account, which has none of its own", async () => {
      await owner.put("/settings/email", relay);
      const machine = await tenant.serviceAccount(["settings.email.manage"]);
      const nowhere = await machine.post("/settings/email/test", {});
      expect([nowhere.status, nowhere.body.error.fields]).to.deep.equal([422, { to: "errors.required" }]);
      expect((await machine.post("/settings/email/test", { to: "someone@else.test" })).body.ok).to.equal(true);
      expect(mailbox.to("someone@else.test")).to.have.length(1);
    });

    it("answers that nothing is configured", async () => {
      const { status, body } = await owner.post("/settings/email/test", {});
      expect([status, body]).to.deep.equal([200, { ok: false, error: "errors.email_not_configured" }]);
    });

    it("answers with the relay's words when it refuses, and without the password", async () => {
      await owner.put("/settings/email", { ...relay, username: "noord", secret: "a-wrong-password" });
      const denied = await owner.post("/settings/email/test", {});
      expect(denied.status).to.equal(200);
      expect(denied.body.ok).to.equal(false);
      expect(denied.body.error).to.match(/535|Invalid login/);
      expect(denied.text).not.to.contain("a-wrong-password");
      await owner.put("/settings/email", relay);
      mailbox.fail({ at: "rcpt", code: 550, text: `no such person here, ${"x".repeat(900)}` });
      const refused = await owner.post("/settings/email/test", {});
      expect(refused.body.error).to.contain("no such person here").and.have.length.at.most(500);
    });

    it("answers when nobody is there, and with an idempotency key as well", async () => {
      await owner.put("/settings/email", { ...relay, port: 1 });
      const { status, body } = await owner.post("/settings/email/test", {}, { headers: { "Idempotency-Key": "test-1" } });
      expect([status, body.ok]).to.deep.equal([200, false]);
      expect(body.error).to.match(/ECONNREFUSED|refused/i);
    });
  });
});
