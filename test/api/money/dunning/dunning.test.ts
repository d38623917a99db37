import { expect } from "chai";
import { addDays } from "../../../../core/calendar/calendar.ts";
import { systemRequest } from "../../../../core/request/system.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { planNotices } from "../../../../services/money/dunning/notices/daily-dunning.ts";
import { startDay } from "../../../../services/money/mails/daily.ts";
import { oneProcess } from "../../../support/cluster/topology.ts";
import { holdSchedules, settled } from "../../../support/jobs.ts";
import { MailWorld } from "../../../support/mail/mail-world.ts";
import { ok, refused } from "../documents/invoicing.ts";
import { CUSTOMER, MailedDocuments, printerReady } from "../mails/mailed-documents.ts";

oneProcess("looks inside the node");

const BUSINESS = JSON.stringify({ ...CUSTOMER, vat_number: "NL001234567B01" });

describe("dunning", () => {
  const world = new MailWorld();
  const { mailbox } = world;
  let documents: MailedDocuments;
  let company: string;

  before(async function () {
    this.timeout(120_000);
    await world.start();
    await holdSchedules(world.service, "invoicing.%");
    await holdSchedules(world.service, "dunning.%");
    await printerReady();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    company = (await world.tenant.company({ invoice_email: "facturen@vela.test" })).id;
    documents = new MailedDocuments(world.service, world.tenant.organisation.id, company);
  });

  /** The daily job on a day, up to its last mail; `times` nodes run it at the same moment. */
  async function on(day: string, times = 1): Promise<void> {
    const run = () =>
      inTenancy(
        () => systemRequest("invoicing.daily", world.tenant.organisation, "write"),
        async () => {
          // Neither order of the two jobs sends two mails.
          if (Number(day.slice(-1)) % 2 === 0) await startDay(day);
          await planNotices(day);
          await startDay(day);
        },
      );
    await Promise.all(Array.from({ length: times }, run));
    await settled(world.service);
  }
  const subjects = () => mailbox.delivered.map(({ mail }) => mail.subject ?? "");
  const enable = (levels?: object[]) =>
    ok(world.tenant.owner.put("/invoicing/dunning", { enabled: true, ...(levels && { levels }) }));
  const claim = (id: string, day = "2026-07-20") => ok(world.tenant.owner.get(`/invoicing/invoices/${id}/claim?on=${day}`));
  const LEVELS = [{ days: 14 }, { days: 30, fee: "15.00", interest: true }, { days: 45, interest: true, costs: true }];

  it("is off at first, with four usual levels", async () => {
    await documents.invoice();
    await on("2026-09-01");
    expect(subjects()).to.deep.equal([]);
    const { enabled, levels, rates } = await ok(world.tenant.owner.get("/invoicing/dunning"));
    expect([enabled, levels.map(({ days }: { days: number }) => days), rates]).to.deep.equal([false, [14, 30, 45, 75], []]);
  });

  it("sends each level once, after its days, however many nodes run", async () => {
    const id = await documents.invoice({ customer: BUSINESS });
    await enable(LEVELS);
    const days: string[] = [];
    for (const day of [
      "2026-06-14",
      "2026-06-15",
      "2026-06-16",
      "2026-06-30",
      "2026-07-01",
      "2026-07-02",
      "2026-07-16",
      "2026-09-01",
    ]) {
      const before = mailbox.delivered.length;
      await on(day, 2);
      if (mailbox.delivered.length > before) days.push(day);
      expect(mailbox.delivered.length - before, day).to.be.at.most(1);
    }
    expect(days).to.deep.equal(["2026-06-15", "2026-07-01", "2026-07-16"]);
    expect(subjects()).to.deep.equal([
      "Betalingsherinnering factuur 2026-0001",
      "Aanmaning factuur 2026-0001",
      "Tweede aanmaning factuur 2026-0001",
    ]);
    const mail = mailbox.delivered[1]?.mail;
    expect(mail?.text).to.include("te betalen: EUR 137.01").and.to.include("08-07-2026");
    expect(mail?.attachments.map(({ filename }) => filename)).to.deep.equal(["aanmaning-2-2026-0001.pdf", "2026-0001.pdf"]);
    expect((await ok(world.tenant.owner.get(`/invoicing/invoices/${id}`))).dunning_level).to.equal(3);
    expect(await documents.trail(id)).to.deep.equal([
      ["dunned", { to: CUSTOMER.email, level: 1, total: "121.00", pay_by: "2026-06-22" }],
      ["dunned", { to: CUSTOMER.email, level: 2, total: "137.01", pay_by: "2026-07-08" }],
      ["dunned", { to: CUSTOMER.email, level: 3, total: "162.53", pay_by: "2026-07-23" }],
    ]);
    const { notices, fees, costs, level, next } = await claim(id);
    expect(notices.map(({ sent_on, total }: { sent_on: string; total: string }) => [sent_on, total])).to.deep.equal([
      ["2026-06-15", "121.00"],
      ["2026-07-01", "137.01"],
      ["2026-07-16", "162.53"],
    ]);
    expect([fees, costs, level, next]).to.deep.equal(["15.00", "25.00", 3, null]);
  });

  it("announces costs to a consumer, and claims them once the last day to pay is over", async () => {
    const id = await documents.invoice();
    await enable([
      { days: 14, costs: true },
      { days: 16, costs: true, interest: true },
    ]);
    await on("2026-06-15");
    const mail = mailbox.delivered[0]?.mail;
    expect(mail?.text).to.include("dus uiterlijk op 29-06-2026, dan bent u EUR 40.00 aan incassokosten verschuldigd");
    await on("2026-06-29");
    expect(subjects()).to.have.length(1);
    const before = await claim(id, "2026-06-29");
    expect([before.debtor, before.costs, before.costs_from, before.next]).to.deep.equal([
      ...["consumer", "0.00", "2026-06-30"],
      { level: 2, on: "2026-06-30" },
    ]);
    await on("2026-06-30");
    expect(mailbox.delivered[1]?.mail.text).to.include("te betalen: EUR 161.38");
  });

  it("takes the place of reminders from its first level on", async () => {
    const id = await documents.invoice();
    await documents.reminders([7, 14, 20]);
    await enable([{ days: 14 }, { days: 40 }]);
    for (const day of ["2026-06-08", "2026-06-15", "2026-06-16", "2026-06-21", "2026-06-22"]) await on(day);
    expect((await documents.trail(id)).map(([action]) => action)).to.deep.equal(["reminder_sent", "dunned"]);
    await ok(world.tenant.owner.put("/invoicing/dunning", { enabled: false }));
    await on("2026-06-23");
    expect((await documents.trail(id)).map(([action]) => action)).to.deep.equal(["reminder_sent", "dunned", "reminder_sent"]);
  });

  it("rests while the client or the invoice is paused, and on the day of a reminder by hand", async () => {
    const [first, second] = [await documents.invoice(), await documents.invoice()];
    await enable();
    const post = (values: object) => ok(world.tenant.owner.post("/invoicing/dunning/pauses", { company_id: company, ...values }));
    const pause = await post({ reason: "Regeling", until: "2099-01-01" });
    await on("2026-06-15");
    expect(subjects()).to.deep.equal([]);
    expect((await claim(first)).paused).to.deep.equal({ reason: "Regeling", until: "2099-01-01" });
    await ok(world.tenant.owner.delete(`/invoicing/dunning/pauses/${pause.id}`));
    await post({ invoice_id: second, reason: "Betwist" });
    await on("2026-06-16");
    expect(subjects()).to.deep.equal(["Betalingsherinnering factuur 2026-0001"]);
    const { body } = await world.tenant.owner.get(`/invoicing/dunning/pauses?company_id=${company}`);
    expect(body.items.map(({ reason, invoice_id }: Record<string, unknown>) => [reason, invoice_id])).to.deep.equal([
      ["Betwist", second],
    ]);
    const other = (await world.tenant.company()).id;
    const refusal = await world.tenant.owner.post("/invoicing/dunning/pauses", {
      company_id: other,
      invoice_id: first,
      reason: "x",
    });
    expect(refusal.status).to.equal(404);
  });

  it("shrinks by payments and ends with the last one", async () => {
    const id = await documents.invoice({ customer: BUSINESS });
    await enable(LEVELS);
    await on("2026-06-15");
    const pay = (amount: string, paid_on: string) =>
      ok(world.tenant.owner.post(`/invoicing/invoices/${id}/payments`, { amount, paid_on }));
    await pay("100.00", "2026-06-20");
    await on("2026-07-01");
    expect(mailbox.delivered[1]?.mail.text).to.include("te betalen: EUR 36.68");
    await pay("21.00", "2026-07-05");
    await on("2026-09-01");
    expect(subjects()).to.have.length(2);
    const { state, principal, next } = await claim(id);
    expect([state, principal, next]).to.deep.equal(["settled", "0.00", null]);
    expect((await ok(world.tenant.owner.get("/invoicing/claims"))).claims).to.deep.equal([]);
  });

  it("is sent by hand: by mail or recorded, once for concurrent calls, until no level is left", async () => {
    const id = await documents.invoice({ customer: BUSINESS });
    await enable([
      { days: 14, texts: [{ language: "nl", subject: "Let op {number}", body: "Dag {name}, {total} voor {pay_by}." }] },
      { days: 20 },
    ]);
    const send = (body: object = {}) => world.tenant.owner.post(`/invoicing/invoices/${id}/claim/send`, body);
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ status, body }) => [status, body.level])).to.deep.equal([
      [200, 1],
      [200, 1],
    ]);
    expect(subjects()).to.deep.equal(["Let op 2026-0001"]);
    expect(mailbox.delivered[0]?.mail.text).to.match(/^Dag Eva de Wit, € 121,00 voor \d\d-\d\d-\d{4}\./);
    const today = (await ok(world.tenant.owner.get("/invoicing/claims"))).on;
    const second = (await ok(send({ email: false }))).notices[1];
    expect([second.level, second.sent_to, second.pay_by]).to.deep.equal([2, null, addDays(today, 9)]);
    expect(subjects()).to.have.length(1);
    expect(refused(await send())).to.deep.equal([409, "errors.dunning.no_level"]);
    const letter = await world.tenant.owner.get(`/invoicing/invoices/${id}/claim/letter?level=2`);
    expect([letter.status, letter.text.slice(0, 4)]).to.deep.equal([200, "%PDF"]);
    expect((await world.tenant.owner.get(`/invoicing/invoices/${id}/claim/letter?level=3`)).status).to.equal(404);
  });

  it("refuses invoices that are not late, levels out of order, unknown values and days twice", async () => {
    const id = await documents.invoice({ due_date: "2099-01-01" });
    expect(refused(await world.tenant.owner.post(`/invoicing/invoices/${id}/claim/send`, {}))).to.deep.equal([
      409,
      "errors.invoicing.wrong_status",
    ]);
    expect((await claim(id)).state).to.equal("none");
    const put = async (body: object) => refused(await world.tenant.owner.put("/invoicing/dunning", body))[2];
    expect(await put({ levels: [{ days: 30 }, { days: 30 }] })).to.deep.equal({ levels: "errors.dunning.levels_order" });
    const text = (value: string) => ({ levels: [{ days: 5, texts: [{ language: "nl", subject: "S", body: value }] }] });
    expect(await put(text("Dag {naam}"))).to.deep.equal({ levels: "errors.dunning.unknown_placeholder" });
    const rate = { from: "2027-01-01", business: "10.00", consumer: "4.00" };
    expect(await put({ rates: [rate, rate] })).to.deep.equal({ rates: "errors.duplicate" });
    expect(
      (await world.tenant.owner.put("/invoicing/dunning", { levels: [1, 2, 3, 4, 5].map((days) => ({ days })) })).status,
    ).to.equal(422);
  });

  it("lists claims of the clients that the caller sees, with sums by currency, and belongs to administrators", async () => {
    await documents.invoice({ customer: BUSINESS, due_date: "2025-06-01", currency: "USD" });
    await documents.invoice({ customer: BUSINESS, due_date: "2025-06-01" });
    await documents.invoice({ customer: BUSINESS, due_date: "2025-07-01" });
    const { claims, totals, total } = await ok(world.tenant.owner.get("/invoicing/claims?limit=2"));
    expect([
      claims.length,
      total,
      totals.map(({ currency, count, principal, costs }: Record<string, unknown>) => [currency, count, principal, costs]),
    ]).to.deep.equal([
      ...[2, 3],
      [
        ["EUR", 2, "242.00", "80.00"],
        ["USD", 1, "121.00", "0.00"],
      ],
    ]);
    const [admin, member] = [await world.tenant.member("admin"), await world.tenant.member("member")];
    expect((await member.get("/invoicing/claims")).status).to.equal(403);
    const other = await world.tenant.company();
    await world.tenant.group("Restricted", [other.id], [admin.membershipId]);
    expect((await ok(admin.get("/invoicing/claims"))).claims).to.deep.equal([]);
    expect((await admin.get(`/invoicing/invoices/${claims[0].invoice_id}/claim`)).status).to.equal(404);
  });
});
