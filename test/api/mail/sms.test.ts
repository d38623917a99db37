import { expect } from "chai";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { e164, queueSms, smsAvailable, smsCode } from "../../../core/mail/sms.ts";
import { answer, flag, input, nullable, Type, text, uuid } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import type { Fault } from "../../simulators/simulator.ts";
import { TelnyxSimulator } from "../../simulators/telnyx.ts";
import { strike, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const PHONE = "+31 6 1234 5678";

/** An endpoint that promises a code by text message, as the sign-in does. */
const proof = actor("smsproof", {
  actions: {
    send: openAction({
      rest: "POST /smsproof",
      summary: "Promises a code",
      open: "a test",
      body: input("SmsProof", { phone: text(40), locale: nullable(text(5)), refuse: flag(false) }),
      returns: answer("SmsProofOut", { id: uuid(), sent: flag(), error: nullable(Type.String()), code: Type.String() }),
      handler(ctx) {
        const { phone, locale = null, refuse } = ctx.params.body;
        const promised = queueSms({ kind: "second_factor", phone, locale, accountId: ctx.meta.principal?.accountId });
        if (refuse) throw refusal("conflict");
        return promised;
      },
    }),
  },
});

describe("text messages", () => {
  const gateway = new TelnyxSimulator();
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await gateway.start();
    service = await startService(
      {
        SERVICE_SMS_API_URL: gateway.baseUrl,
        SERVICE_SMS_API_KEY: gateway.key,
        SERVICE_SMS_SENDER: "Kantoor",
        SERVICE_SMS_PROFILE: gateway.profile,
      },
      [proof],
    );
    tenant = await service.tenant();
  });
  beforeEach(() => gateway.reset());
  afterEach(() => expect(gateway.complaints).to.deep.equal([]));
  after(async () => {
    await service.stop();
    await gateway.stop();
  });

  const promise = async (values: object = {}) =>
    (await tenant.owner.post("/smsproof", { phone: PHONE, locale: null, ...values })).body;
  const row = async (id: string) => (await service.sql.query("select * from sms_messages where id = $1", [id])).rows[0];
  /** Waits for the end of a message; further attempts are made now instead of after their pause. */
  const ended = (id: string) =>
    until(async () => {
      const { status } = await row(id);
      if (status !== "queued") return status as string;
      await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where next_run_at > now() and type = 'normal'");
      return null;
    });

  it("go out after the commit, to an E.164 number, in the language of the organisation, with the promised code", async () => {
    const { id, sent, error, code } = await promise();
    expect([sent, error, code]).to.satisfy(
      ([yes, none, six]: unknown[]) => yes === true && none === null && /^\d{6}$/.test(String(six)),
    );
    expect(await ended(id)).to.equal("sent");
    const [{ id: gatewayId, ...message } = expect.fail("nothing was sent")] = gateway.sent;
    expect(message).to.deep.equal({
      key: id,
      from: "Kantoor",
      to: "+31612345678",
      text: `Je code voor ${tenant.organisation.name}, 10 minuten geldig. Deel hem met niemand: ${code}`,
    });
    expect(await row(id)).to.deep.include({ gateway_id: gatewayId, attempts: 1, last_error: null, phone: "+31••••••678" });
  });

  it("speak the recipient's language", async () => {
    const { id, code } = await promise({ locale: "en" });
    await ended(id);
    expect(gateway.sent[0]?.text).to.equal(
      `Your code for ${tenant.organisation.name}, valid for 10 minutes. Do not share it: ${code}`,
    );
  });

  it("are not sent when the write that promised them fails", async () => {
    const before = (await service.sql.query("select count(*)::int as count from sms_messages")).rows[0].count;
    expect((await tenant.owner.post("/smsproof", { phone: PHONE, locale: null, refuse: true })).status).to.equal(409);
    await promise().then(({ id }) => ended(id));
    expect(gateway.sent).to.have.length(1);
    expect((await service.sql.query("select count(*)::int as count from sms_messages")).rows[0].count).to.equal(before + 1);
  });

  it("carry a code that is in no row, no job and no event", async () => {
    gateway.fail({ kind: "reply", status: 500 });
    const { id, code } = await promise();
    await ended(id);
    const tables = (await service.sql.query(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname in ('public', 'jobs')`,
    )) as { rows: { name: string }[] };
    for (const { name } of tables.rows) {
      const { rows } = await service.sql.query(`select 1 from ${name} t where position($1 in t::text) > 0`, [`: ${code}`]);
      expect(rows, name).to.deep.equal([]);
    }
    const { rows } = await service.sql.query("select payload::text as payload from outbox where job = 'sms.send' limit 1");
    expect(Object.keys(JSON.parse(rows[0]?.payload ?? '{"sms_id":1}'))).to.deep.equal(["sms_id"]);
  });

  const passing: [what: string, fault: Fault][] = [
    ["answers 500", { kind: "reply", status: 500 }],
    ["cuts the connection", { kind: "drop" }],
    ["takes it and loses the answer", { kind: "lose" }],
    ["answers garbage", { kind: "garbage" }],
    ["is still busy with the first attempt", { kind: "reply", status: 409, body: '{"errors":[]}' }],
  ];
  for (const [what, fault] of passing)
    it(`are sent once, with the same code, when the gateway ${what}`, async () => {
      gateway.fail(fault);
      const { id, code } = await promise();
      expect(await ended(id)).to.equal("sent");
      expect(gateway.sent.map(({ key, text: said }) => [key, said.endsWith(`: ${code}`)])).to.deep.equal([[id, true]]);
      expect(gateway.ledger.doubled).to.deep.equal([]);
      expect(gateway.received.length).to.be.greaterThan(1);
    });

  it("fail permanently and visibly when the gateway refuses them: no other attempt, and a dead letter without code or number", async () => {
    gateway.barred.add("+31612345678");
    const { id, code } = await promise();
    expect(await ended(id)).to.equal("failed");
    const { last_error: error, phone } = await row(id);
    expect([error, phone]).to.deep.equal(["HTTP 422 40310 Invalid 'to' address *** is not a mobile number.", "+31••••••678"]);
    expect(gateway.received).to.have.length(1);
    const dead = await until(async () => {
      const { rows } = await service.sql.query(
        "select * from jobs.agenda_jobs where data->'payload'->>'sms_id' = $1 and fail_reason is not null",
        [id],
      );
      return rows[0];
    });
    expect(JSON.stringify(dead)).to.contain("40310").and.not.to.contain(code).and.not.to.contain("612345678");
  });

  it("fail permanently when the key is wrong, and the key appears nowhere", async () => {
    gateway.fail({
      kind: "reply",
      status: 401,
      body: JSON.stringify({ errors: [{ code: "10009", title: `no ${gateway.key}` }] }),
    });
    const { id } = await promise();
    expect(await ended(id)).to.equal("failed");
    expect((await row(id)).last_error).to.equal("HTTP 401 10009 no ***");
  });

  it("are not sent any more once their code is dead", async () => {
    gateway.failWhen(() => true, { kind: "reply", status: 409, body: "{}" });
    const { id } = await promise();
    await until(async () => (await row(id)).last_error !== null);
    await service.sql.query("update sms_messages set created_at = now() - interval '11 minutes' where id = $1", [id]);
    gateway.reset();
    expect(await ended(id)).to.equal("failed");
    expect([(await row(id)).last_error, gateway.sent.length]).to.deep.equal(["errors.sms_expired", 0]);
  });

  it("are not promised to an invalid number", async () => {
    for (const phone of ["0612345678", "+12", "+31abc", ""]) {
      const { body } = await tenant.owner.post("/smsproof", { phone, locale: null });
      expect(body, phone).to.include({ sent: false, error: "errors.invalid_phone" });
    }
    expect(gateway.received).to.deep.equal([]);
  });

  it("go after 30 days", async () => {
    const { id } = await promise();
    await ended(id);
    await service.sql.query("update sms_messages set created_at = now() - interval '31 days' where id = $1", [id]);
    await strike(service, "sms.clear");
    expect(await row(id)).to.equal(undefined);
  });

  it("have numbers as E.164 and codes of six digits that depend on message and secret", () => {
    expect(["+31 (0)6 1234 5678", "+31612345678", "+1 555 123 4567", "+999 1234567", "06 12345678"].map(e164)).to.deep.equal([
      "+31612345678",
      "+31612345678",
      "+15551234567",
      "+9991234567",
      null,
    ]);
    const codes = new Set(Array.from({ length: 200 }, (_, n) => smsCode(`id-${n}`)));
    expect(codes.size).to.be.greaterThan(190);
    for (const code of codes) expect(code).to.match(/^\d{6}$/);
    expect(smsCode("id-1")).to.equal(smsCode("id-1"));
    expect(smsAvailable()).to.equal(true);
  });
});

describe("text messages without a gateway", () => {
  it("are not promised", async () => {
    const service = await startService({}, [proof]);
    try {
      const { owner } = await service.tenant();
      const { body } = await owner.post("/smsproof", { phone: PHONE, locale: null });
      expect(body).to.include({ sent: false, error: "errors.sms_not_configured" });
      expect((await service.sql.query("select 1 from sms_messages")).rows).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
