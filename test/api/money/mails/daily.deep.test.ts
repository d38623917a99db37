import { expect } from "chai";
import { addDays, eachDay } from "../../../../core/calendar/calendar.ts";
import type { Facts } from "../../../../core/jobs/definition.ts";
import { systemRequest } from "../../../../core/request/system.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { lendMail } from "../../../../operator/organisations.ts";
import { startDay } from "../../../../services/money/mails/daily.ts";
import { oneProcess } from "../../../support/cluster/topology.ts";
import { fire, holdSchedules, settled } from "../../../support/jobs.ts";
import { MailWorld } from "../../../support/mail/mail-world.ts";
import { CUSTOMER, MailedDocuments, printerReady } from "./mailed-documents.ts";

oneProcess("looks inside the node");

describe("the daily work on documents", () => {
  const world = new MailWorld();
  const { mailbox } = world;
  let documents: MailedDocuments;

  before(async function () {
    this.timeout(120_000);
    await world.start();
    await holdSchedules(world.service, "invoicing.%");
    await printerReady();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    const { id } = await world.tenant.company({ invoice_email: "facturen@vela.test" });
    documents = new MailedDocuments(world.service, world.tenant.organisation.id, id);
  });

  /** The job on a day, up to its last mail; `times` nodes run it at the same moment. */
  async function on(day: string, times = 1): Promise<void> {
    const run = () =>
      inTenancy(
        () => systemRequest("invoicing.daily", world.tenant.organisation, "write"),
        () => startDay(day),
      );
    await Promise.all(Array.from({ length: times }, run));
    await settled(world.service);
  }
  const mails = () => mailbox.delivered.map(({ mail }) => mail.subject ?? "");
  const reminded = async (id: string) =>
    (await documents.trail(id)).map(([action, payload]) => [action, payload["level"] ?? payload["reason"]]);

  it("comes at 06:15 UTC", async () => {
    const { rows } = await world.service.sql.query("select repeat_interval from jobs.agenda_jobs where name = 'invoicing.daily'");
    expect(rows).to.deep.equal([{ repeat_interval: "15 6 * * *" }]);
    const over = await documents.quote({ valid_until: "2020-01-01" });
    const invoice = await documents.invoice({ auto_send: true });
    await fire(world.service, "invoicing.daily");
    expect((await documents.row(over, "quotes"))["status"]).to.equal("expired");
    expect((await documents.row(invoice))["sent_at"]).to.be.a("string");
  });

  it("stops while invoicing is not writable", () => {
    const { work } = world.service.node.broker.getLocalService("invoicing.mails").metadata as { work: Facts[] };
    expect(work.map(({ name, module }) => [name, module])).to.deep.equal([
      ["invoicing.daily", "invoicing"],
      ["invoicing.daily-mail", "invoicing"],
    ]);
  });

  describe("reminders", () => {
    it("are left to a member who is mailing one at this moment", async () => {
      const id = await documents.invoice();
      await documents.reminders();
      await world.service.sql.query(
        `insert into invoice_daily_mails (organisation_id, invoice_id, mailed_on, reminder_by, reminder_until)
         values ($1, $2, '-infinity', gen_random_uuid(), now() + interval '1 minute')`,
        [world.tenant.organisation.id, id],
      );
      await on("2026-06-16");
      expect(mails()).to.deep.equal([]);
      await world.service.sql.query("update invoice_daily_mails set reminder_until = now() where invoice_id = $1", [id]);
      await on("2026-06-17");
      expect(mails()).to.have.length(1);
    });

    it("example 18.12: due 1 June and enabled on 16 June: 16, 17 June, 1 July, never a fourth", async () => {
      const id = await documents.invoice();
      const days: string[] = [];
      const note = async (day: string) => {
        const before = mailbox.delivered.length;
        await on(day);
        if (mailbox.delivered.length > before) days.push(day);
        expect(mailbox.delivered.length - before, day).to.be.at.most(1);
      };
      for (const day of ["2026-06-08", "2026-06-15"]) await note(day);
      await documents.reminders();
      for (const day of [...eachDay("2026-06-16", "2026-06-19"), ...eachDay("2026-06-29", "2026-07-03"), "2026-09-01"])
        await note(day);
      expect(days).to.deep.equal(["2026-06-16", "2026-06-17", "2026-07-01"]);
      expect(await documents.trail(id)).to.deep.equal([
        ["reminder_sent", { to: CUSTOMER.email, level: 1, days_overdue: 15 }],
        ["reminder_sent", { to: CUSTOMER.email, level: 2, days_overdue: 16 }],
        ["reminder_sent", { to: CUSTOMER.email, level: 3, days_overdue: 30 }],
      ]);
      const row = await documents.row(id);
      expect(row["reminder_count"]).to.equal(3);
      expect(row["last_reminder_at"]).to.be.a("string");
    });

    it("example 18.12: one by hand on 5 June makes the first of the schedule step 2", async () => {
      await documents.reminders();
      const id = await documents.invoice();
      expect((await world.tenant.owner.post(`/invoicing/invoices/${id}/remind`)).status).to.equal(200);
      mailbox.reset();
      for (const day of ["2026-06-08", "2026-06-14"]) await on(day);
      expect(mails()).to.deep.equal([]);
      await on("2026-06-15");
      expect(await reminded(id)).to.deep.equal([
        ["reminder_sent", undefined],
        ["reminder_sent", 2],
      ]);
    });

    it("skips invoices that are not due, paused, settled, a credit note, a draft, cancelled or credited", async () => {
      await documents.reminders([0, 7]);
      await documents.invoice({ due_date: "2026-06-20" });
      await documents.invoice({ due_date: "2026-06-21" });
      await documents.invoice({ reminders_paused: true });
      await documents.invoice({ status: "paid", paid_total: "121.00" });
      await documents.invoice({ kind: "credit_note", total: "-121.00" });
      await documents.invoice({ status: "draft", number: null });
      await documents.invoice({ status: "cancelled" });
      await documents.invoice({ credited_total: "121.00" });
      await documents.invoice({ reminder_count: 2 });
      await on("2026-06-20");
      expect(mails()).to.deep.equal([]);
      await on("2026-06-21");
      expect(mails()).to.deep.equal([`Herinnering: factuur 2026-0001 van ${world.tenant.organisation.name}`]);
    });

    it("sends nothing while reminders are off or the schedule is empty", async () => {
      await documents.invoice();
      await documents.reminders([]);
      await on("2026-06-30");
      await documents.reminders([7], { reminders_enabled: false });
      await on("2026-07-01");
      expect(mails()).to.deep.equal([]);
    });

    it("goes once a day, however often and on however many nodes the job runs", async () => {
      await documents.reminders();
      const id = await documents.invoice();
      await on("2026-06-30", 3);
      await on("2026-06-30");
      expect(mails()).to.have.length(1);
      expect(await reminded(id)).to.deep.equal([["reminder_sent", 1]]);
    });

    it("checks again before it mails: paid meanwhile, it is skipped", async () => {
      await documents.reminders();
      const id = await documents.invoice();
      await inTenancy(
        () => systemRequest("invoicing.daily", world.tenant.organisation, "write"),
        async () => {
          await startDay("2026-06-30");
          await world.service.sql.query("update invoices set paid_total = 121, status = 'paid' where id = $1", [id]);
        },
      );
      await settled(world.service);
      expect(mails()).to.deep.equal([]);
    });

    it("goes to the client's present invoice address if the invoice has none", async () => {
      await documents.reminders();
      await documents.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: null }) });
      await on("2026-06-08");
      expect(mailbox.to("facturen@vela.test")).to.have.length(1);
    });

    it("goes to every one of several addresses, once each, on however many nodes the job runs", async () => {
      const { id: several } = await world.tenant.company({ invoice_email: "a@vela.test; b@vela.test, A@vela.test" });
      const theirs = new MailedDocuments(world.service, world.tenant.organisation.id, several);
      await theirs.reminders();
      const reminder = await theirs.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: null }) });
      const first = await theirs.invoice({
        customer: JSON.stringify({ ...CUSTOMER, email: "a@vela.test;b@vela.test" }),
        auto_send: true,
      });
      await on("2026-06-08", 2);
      const both = ["a@vela.test", "b@vela.test"];
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([both, both]);
      const to = both.join(", ");
      expect(await documents.trail(reminder)).to.deep.equal([["reminder_sent", { to, level: 1, days_overdue: 7 }]]);
      expect(await documents.trail(first)).to.deep.equal([["sent", { to, auto: true }]]);
    });

    it("retries a failed one the next day, and reports it only on the day of the step", async () => {
      await documents.reminders();
      const id = await documents.invoice();
      for (const [day, failures] of [
        ["2026-06-08", 1],
        ["2026-06-09", 1],
      ] as const) {
        mailbox.fail({ at: "rcpt", code: 450, text: "mailbox full" });
        await on(day);
        await on(day);
        expect((await documents.trail(id)).length, day).to.equal(failures);
      }
      const [[action, { reason }] = ["", {}]] = await documents.trail(id);
      expect(action).to.equal("reminder_failed");
      expect(reason).to.contain("mailbox full");
      expect((await documents.row(id))["reminder_count"]).to.equal(0);
      await on("2026-06-10");
      expect((await reminded(id)).at(-1)).to.deep.equal(["reminder_sent", 1]);
      expect(mails()).to.have.length(1);
    });

    it("reports a client without any address once", async () => {
      const { id: silent } = await world.tenant.company({ invoice_email: null });
      const theirs = new MailedDocuments(world.service, world.tenant.organisation.id, silent);
      await theirs.reminders();
      const id = await theirs.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: null }) });
      for (const day of eachDay("2026-06-08", "2026-06-10")) await on(day);
      expect(await reminded(id)).to.deep.equal([["reminder_failed", "errors.invoicing.no_recipient"]]);
    });
  });

  describe("invoices that are to be sent", () => {
    it("are mailed, and are then sent", async () => {
      const id = await documents.invoice({ auto_send: true });
      const plain = await documents.invoice();
      await on("2026-05-18", 2);
      await on("2026-05-18");
      expect(mails()).to.deep.equal([`Factuur 2026-0001 van ${world.tenant.organisation.name}`]);
      const row = await documents.row(id);
      expect([row["auto_send"], row["reminder_count"]]).to.deep.equal([false, 0]);
      expect(row["sent_at"]).to.be.a("string");
      expect(await documents.trail(id)).to.deep.equal([["sent", { to: CUSTOMER.email, auto: true }]]);
      expect((await documents.row(plain))["sent_at"]).to.equal(null);
    });

    it("are dropped without an address, or without a transport", async () => {
      const silent = await documents.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: null }), auto_send: true });
      await on("2026-05-18");
      await lendMail(world.service.sql, world.tenant.organisation.id, false);
      const ready = await documents.invoice({ auto_send: true });
      await on("2026-05-19");
      expect(await documents.trail(silent)).to.deep.equal([["auto_send_failed", { reason: "errors.invoicing.no_recipient" }]]);
      expect(await documents.trail(ready)).to.deep.equal([["auto_send_failed", { reason: "errors.email_not_configured" }]]);
      for (const id of [silent, ready]) expect((await documents.row(id))["auto_send"]).to.equal(false);
      expect(mails()).to.deep.equal([]);
    });

    it("wait for tomorrow when the relay does not take them", async () => {
      const id = await documents.invoice({ auto_send: true });
      mailbox.fail({ at: "data", code: 451, text: "later" });
      await on("2026-05-18");
      await on("2026-05-18");
      expect([(await documents.row(id))["auto_send"], await documents.trail(id)]).to.deep.equal([true, []]);
      expect(mails()).to.deep.equal([]);
      await on("2026-05-19");
      expect(mails()).to.have.length(1);
    });

    it("are not mailed as drafts or once cancelled", async () => {
      await documents.invoice({ auto_send: true, status: "draft", number: null });
      await documents.invoice({ auto_send: true, status: "cancelled" });
      await on("2026-05-18");
      expect(mails()).to.deep.equal([]);
    });
  });

  it("lets open quotes expire the day after their last, once", async () => {
    const [last, over, accepted] = [
      await documents.quote({ valid_until: "2026-06-17" }),
      await documents.quote({ valid_until: "2026-06-16" }),
      await documents.quote({ valid_until: "2026-06-01", status: "accepted" }),
    ];
    await on("2026-06-17", 2);
    const states = async () => {
      const found: unknown[] = [];
      for (const id of [last, over, accepted]) found.push((await documents.row(id, "quotes"))["status"]);
      return found;
    };
    expect(await states()).to.deep.equal(["open", "expired", "accepted"]);
    await on(addDays("2026-06-17", 1));
    expect(await states()).to.deep.equal(["expired", "expired", "accepted"]);
    expect(await documents.trail(over)).to.deep.equal([["expired", {}]]);
    expect(await documents.trail(accepted)).to.deep.equal([]);
  });

  it("touches no other organisation", async () => {
    const other = await world.service.tenant();
    const { id } = await other.company();
    const theirs = new MailedDocuments(world.service, other.organisation.id, id);
    await theirs.reminders();
    await theirs.invoice({ auto_send: true });
    const quote = await theirs.quote({ valid_until: "2026-01-01" });
    await on("2026-06-30");
    expect(mails()).to.deep.equal([]);
    expect((await theirs.row(quote, "quotes"))["status"]).to.equal("open");
  });
});
