import { expect } from "chai";
import { lendMail } from "../../../../operator/organisations.ts";
import { MailWorld } from "../../../support/mail/mail-world.ts";
import { CUSTOMER, MailedDocuments, printerReady } from "./mailed-documents.ts";

describe("sending documents", () => {
  const world = new MailWorld();
  const { mailbox, brevo } = world;
  let documents: MailedDocuments;
  let company: { id: string };

  before(async function () {
    this.timeout(120_000);
    await world.start();
    await printerReady();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    company = await world.tenant.company();
    documents = new MailedDocuments(world.service, world.tenant.organisation.id, company.id);
  });

  const post = (path: string, body: unknown = {}, call?: object) => world.tenant.owner.post(`/invoicing/${path}`, body, call);
  const sent = async (path: string, body: unknown = {}) => {
    const { status, body: answered, text } = await post(path, body);
    expect(status, text).to.equal(200);
    return answered;
  };
  const arrived = (address = CUSTOMER.email) => {
    const [first, ...more] = mailbox.to(address);
    expect(more).to.have.length(0);
    return first?.mail as NonNullable<typeof first>["mail"];
  };
  const untouched = async (id: string, table: "invoices" | "quotes" = "invoices") => {
    const row = await documents.row(id, table);
    expect([row["sent_at"], row["reminder_count"] ?? 0, row["version"]]).to.deep.equal([null, 0, 1]);
    expect(await documents.trail(id)).to.deep.equal([]);
    expect(mailbox.delivered).to.have.length(0);
  };

  describe("POST /invoicing/invoices/{invoice_id}/send", () => {
    it("mails the invoice with its PDF to the bill-to address and answers it as sent", async () => {
      const id = await documents.invoice();
      const answered = await sent(`invoices/${id}/send`);
      expect(answered.sent_at).to.be.a("string");
      const mail = arrived();
      expect(mail.to).to.deep.equal([{ address: CUSTOMER.email, name: "Eva de Wit" }]);
      expect(mail.subject).to.equal(`Factuur 2026-0001 van ${world.tenant.organisation.name}`);
      expect(mail.text).to.contain("Hallo Eva de Wit,").and.to.contain("factuur 2026-0001 van 18-05-2026 voor Vela Works");
      expect(mail.text).to.contain("EUR 121.00").and.to.contain("01-06-2026").and.not.to.contain("http");
      expect(mail.html).not.to.contain("cid:");
      const [pdf, ...others] = mail.attachments;
      expect(others).to.deep.equal([]);
      expect([pdf?.filename, pdf?.mimeType, pdf?.disposition]).to.deep.equal(["2026-0001.pdf", "application/pdf", "attachment"]);
      expect(
        Buffer.from(pdf?.content as ArrayBuffer)
          .subarray(0, 5)
          .toString(),
      ).to.equal("%PDF-");
      expect(await documents.trail(id)).to.deep.equal([["sent", { to: CUSTOMER.email }]]);
    });

    it("goes to every address of the client, once each, as one message that they all read alike", async () => {
      const { id: several } = await world.tenant.company({ invoice_email: "A@vela.test; b@vela.test,a@VELA.test, c@vela.test" });
      const { id } = (await post("invoices", { company_id: several, lines: [{ description: "Ontwerp", unit_price: 100 }] })).body;
      const company_details = { name: "Noord", country: "NL" };
      expect((await world.tenant.owner.put("/invoicing/settings", { company_details })).status).to.equal(200);
      await sent(`invoices/${id}/issue`);
      await sent(`invoices/${id}/send`);
      const all = ["a@vela.test", "b@vela.test", "c@vela.test"];
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([all]);
      expect(mailbox.delivered[0]?.mail.to?.map(({ address }) => address)).to.deep.equal(all);
      expect((await documents.trail(id)).at(-1)).to.deep.equal(["sent", { to: all.join(", ") }]);
      await sent(`invoices/${id}/remind`);
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([all, all]);
    });

    it("says in the trail which of several addresses the mail server refused", async () => {
      const id = await documents.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: "a@vela.test, gone@vela.test" }) });
      mailbox.unknown.add("gone@vela.test");
      await sent(`invoices/${id}/send`);
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([["a@vela.test"]]);
      expect(await documents.trail(id)).to.deep.equal([["sent", { to: "a@vela.test", refused: "gone@vela.test" }]]);
      mailbox.unknown.add("a@vela.test");
      const other = await documents.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: "a@vela.test, gone@vela.test" }) });
      expect((await post(`invoices/${other}/send`)).status).to.equal(502);
      expect((await documents.row(other))["sent_at"]).to.equal(null);
    });

    it("goes to another given address, with a message before everything else", async () => {
      const id = await documents.invoice({ status: "paid", paid_total: "121.00" });
      await sent(`invoices/${id}/send`, { to: "eva@thuis.test", message: "Dag <Eva>,\nzoals besproken" });
      const mail = arrived("eva@thuis.test");
      expect(mail.text?.startsWith("Dag <Eva>,\nzoals besproken\n\nHallo")).to.equal(true);
      expect(mail.html).to.contain("<p>Dag &#60;Eva&#62;,<br>zoals besproken</p>");
      expect(await documents.trail(id)).to.deep.equal([["sent", { to: "eva@thuis.test" }]]);
    });

    it("names the amount due, and asks nothing for a settled document", async () => {
      const texts: [Record<string, unknown>, string][] = [
        [{ paid_total: "21.00" }, "Het totaal is EUR 121.00. Daarvan staat nog EUR 100.00 open. Wij ontvangen"],
        [{ status: "paid", paid_total: "121.00" }, "De factuur is betaald; u hoeft niets meer te doen."],
        [{ credited_total: "121.00" }, "Er staat niets meer open; u hoeft niets te betalen."],
      ];
      for (const [more, sentence] of texts) {
        mailbox.delivered.length = 0;
        await sent(`invoices/${await documents.invoice(more)}/send`);
        expect(arrived().text, JSON.stringify(more)).to.contain(sentence);
        if (!sentence.includes("Daarvan")) expect(arrived().text).not.to.match(/ontvangen de betaling|http/);
      }
    });

    it("is in the document's language, whatever the organisation's", async () => {
      const id = await documents.invoice({ locale: "en" });
      await sent(`invoices/${id}/send`);
      expect(arrived().subject).to.equal(`Invoice 2026-0001 from ${world.tenant.organisation.name}`);
    });

    it("uses the organisation's own subject and HTML, and the built-in plain text", async () => {
      const own = {
        kind: "invoicing.invoice",
        locale: "nl",
        subject: "{{ number }} voor {{ company }} ({{ reference }})",
        body: "<p>{{ contact }}: {{ total }}, {{ due_date }}</p>",
      };
      const { status } = await world.tenant.owner.put("/settings/email/templates", { templates: [own] });
      expect(status).to.equal(200);
      const id = await documents.invoice({ reference: "PO 7" });
      await sent(`invoices/${id}/send`);
      const mail = arrived();
      expect(mail.subject).to.equal("2026-0001 voor Vela Works (PO 7)");
      expect(mail.html).to.contain("<p>Eva de Wit: EUR 121.00, 01-06-2026</p>");
      expect(mail.text).to.contain("In de bijlage vindt u factuur 2026-0001");
    });

    it("calls a credit note by its name, without a due date", async () => {
      const id = await documents.invoice({ kind: "credit_note", total: "-121.00", subtotal: "-100.00", tax_total: "-21.00" });
      await documents.account();
      await sent(`invoices/${id}/send`);
      const mail = arrived();
      expect(mail.subject).to.match(/^Creditnota 2026-0001 van /);
      expect(mail.text).to.contain("EUR -121.00").and.not.to.contain("01-06-2026").and.not.to.contain("http");
      expect(mail.text).to.contain("U hoeft niets te betalen: wij betalen EUR 121.00 aan u terug.");
    });

    describe("where the invoice can be paid online", () => {
      beforeEach(() => documents.account());

      it("links to its public page, as a button and as a code, and mints the address it lacks", async () => {
        const id = await documents.invoice({ public_token: null });
        const { public_url } = await sent(`invoices/${id}/send`);
        const { public_token } = await documents.row(id);
        expect(public_token).to.match(/^[\w-]{43}$/);
        const page = `http://${world.tenant.host}/invoice/${public_token}`;
        expect(public_url).to.equal(page);
        const mail = arrived();
        expect(mail.text).to.contain(`Factuur bekijken en betalen:\n${page}`);
        expect(mail.html).to.contain(`href="${page}"`).and.to.contain('src="cid:invoice-qr.png"');
        const code = mail.attachments.find(({ filename }) => filename === "invoice-qr.png");
        expect([code?.mimeType, code?.disposition, code?.contentId]).to.deep.equal(["image/png", "inline", "<invoice-qr.png>"]);
      });

      it("links to the page of members where public links are switched off", async () => {
        await documents.reminders([7], { public_invoice_links: false });
        const id = await documents.invoice({ public_token: null });
        await sent(`invoices/${id}/send`);
        expect(arrived().text).to.contain(`http://${world.tenant.host}/invoices/${id}`);
        expect((await documents.row(id))["public_token"]).to.equal(null);
      });

      it("shows no code where the transport has no inline images", async () => {
        await world.tenant.owner.put("/settings/email", { provider: "brevo", from_address: "a@noord.test", secret: brevo.key });
        const id = await documents.invoice();
        await sent(`invoices/${id}/send`);
        const [taken] = brevo.taken;
        expect(taken?.html).to.contain("/invoice/").and.not.to.contain("cid:");
        expect(taken?.files.map(({ name }) => name)).to.deep.equal(["2026-0001.pdf"]);
        expect(brevo.complaints).to.deep.equal([]);
      });

      it("has no link once it is paid, or while the account is not active", async () => {
        const paid = await documents.invoice({ status: "paid", paid_total: "121.00" });
        await sent(`invoices/${paid}/send`);
        expect(arrived().text).not.to.contain("http");
        mailbox.reset();
        await world.service.sql.query("update payment_accounts set active = false where organisation_id = $1", [
          world.tenant.organisation.id,
        ]);
        const open = await documents.invoice();
        await sent(`invoices/${open}/send`);
        expect(arrived().text).not.to.contain("http");
      });
    });

    it("records a send outside of the service without mailing, with any transport and address", async () => {
      await lendMail(world.service.sql, world.tenant.organisation.id, false);
      const id = await documents.invoice({ customer: JSON.stringify({ ...CUSTOMER, email: null }), auto_send: true });
      expect((await sent(`invoices/${id}/send`, { email: false })).sent_at).to.be.a("string");
      expect(mailbox.delivered).to.have.length(0);
      expect(await documents.trail(id)).to.deep.equal([["sent", { external: true }]]);
      expect((await documents.row(id))["auto_send"], "the daily job has nothing to send any more").to.equal(false);
    });

    it("refuses drafts and cancelled invoices", async () => {
      for (const values of [{ status: "draft", number: null }, { status: "cancelled" }]) {
        const id = await documents.invoice(values);
        const { status, body } = await post(`invoices/${id}/send`);
        expect([status, body.error.code, body.error.message]).to.deep.equal([409, "conflict", "errors.invoicing.wrong_status"]);
        await untouched(id);
      }
    });

    it("refuses without an address, and where one of several cannot be mailed to", async () => {
      for (const email of [null, " ", "a@x.nl, no address"]) {
        const id = await documents.invoice({ customer: JSON.stringify({ ...CUSTOMER, email }) });
        const { status, body } = await post(`invoices/${id}/send`);
        expect([status, body.error.code, body.error.message]).to.deep.equal([400, "validation", "errors.invoicing.no_recipient"]);
        await untouched(id);
      }
    });

    it("refuses without a transport", async () => {
      await lendMail(world.service.sql, world.tenant.organisation.id, false);
      const id = await documents.invoice();
      const { status, body } = await post(`invoices/${id}/send`);
      expect([status, body.error.code, body.error.message]).to.deep.equal([
        400,
        "email_not_configured",
        "errors.email_not_configured",
      ]);
      await untouched(id);
    });

    it("answers 502 with the relay's words when the mail is not taken, and counts nothing as sent", async () => {
      mailbox.fail({ at: "rcpt", code: 550, text: "no such person" });
      const id = await documents.invoice();
      const { status, body } = await post(`invoices/${id}/send`);
      expect([status, body.error.code, body.error.message]).to.deep.equal([502, "email_failed", "errors.invoicing.email_failed"]);
      expect(body.error.details.reason).to.contain("no such person");
      await untouched(id);
    });

    it("is a 422 for a message that is too long and for an invalid address, before anything else", async () => {
      const id = await documents.invoice();
      const { status, body } = await post(`invoices/${id}/send`, { message: "x".repeat(2001), to: "eva" });
      expect([status, body.error.fields]).to.deep.equal([422, { message: "errors.validation", to: "errors.invalid_email" }]);
      await untouched(id);
    });

    it("mails once for one Idempotency-Key", async () => {
      const id = await documents.invoice();
      const keyed = { headers: { "Idempotency-Key": "send-once" } };
      const first = await post(`invoices/${id}/send`, {}, keyed);
      const second = await post(`invoices/${id}/send`, {}, keyed);
      expect([first.status, second.status, second.headers["idempotent-replayed"]]).to.deep.equal([200, 200, "true"]);
      expect(mailbox.delivered).to.have.length(1);
    });

    it("mails once for several calls at once with one Idempotency-Key, and writes one line", async () => {
      mailbox.delay = 300;
      const [invoice, reminded, quote] = [
        await documents.invoice(),
        await documents.invoice({ due_date: "2020-01-01" }),
        await documents.quote(),
      ];
      for (const path of [`invoices/${invoice}/send`, `invoices/${reminded}/remind`, `quotes/${quote}/send`]) {
        mailbox.delivered.length = 0;
        const body = path.endsWith("send") ? {} : undefined;
        const keyed = { headers: { "Idempotency-Key": "at-once" } };
        const answers = await Promise.all([1, 2, 3].map(() => post(path, body, keyed)));
        expect(
          answers.map(({ status }) => status),
          path,
        ).to.deep.equal([200, 200, 200]);
        expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
        expect(mailbox.delivered).to.have.length(1);
      }
      for (const id of [invoice, reminded, quote]) expect(await documents.trail(id)).to.have.length(1);
      expect((await documents.row(reminded))["reminder_count"]).to.equal(1);
    });

    it("is the same mail where a key is used again because the relay's answer was not known", async () => {
      const id = await documents.invoice();
      const keyed = { headers: { "Idempotency-Key": "again" } };
      mailbox.fail({ at: "data", code: 451, text: "try again later" });
      expect((await post(`invoices/${id}/send`, {}, keyed)).status).to.equal(502);
      const left = await world.service.sql.query("select work_id from idempotency_keys where key = 'again'");
      expect((await post(`invoices/${id}/send`, {}, keyed)).status).to.equal(200);
      expect(arrived().messageId).to.contain(left.rows[0].work_id);
    });

    it("is 404 outside of the caller's selection, and mails nothing", async () => {
      const other = await world.tenant.company();
      const member = await world.tenant.member("member", { grants: ["invoicing.invoice.send", "invoicing.invoice.read:any"] });
      await world.tenant.group("Andere", [other.id], [member.membershipId]);
      const id = await documents.invoice();
      const { status } = await member.post(`/invoicing/invoices/${id}/send`, {});
      expect(status).to.equal(404);
      await untouched(id);
    });
  });

  describe("POST /invoicing/invoices/{invoice_id}/remind", () => {
    it("names the amount due and since when, and uses up a step of the schedule", async () => {
      const id = await documents.invoice({ due_date: "2020-01-01", paid_total: "21.00" });
      const answered = await sent(`invoices/${id}/remind`, undefined);
      expect(answered.reminder_count).to.equal(1);
      expect(answered.last_reminder_at).to.be.a("string");
      expect(answered.sent_at).to.equal(null);
      const mail = arrived();
      expect(mail.subject).to.match(/^Herinnering: factuur 2026-0001 van /);
      expect(mail.text)
        .to.contain("Er staat EUR 100.00 open")
        .and.to.match(/De betaaltermijn is \d{4} dagen geleden verstreken/);
      expect(mail.attachments.map(({ filename }) => filename)).to.deep.equal(["2026-0001.pdf"]);
      expect(await documents.trail(id)).to.deep.equal([["reminder_sent", { to: CUSTOMER.email, manual: true }]]);
    });

    it("says nothing of days before the due date", async () => {
      const id = await documents.invoice({ due_date: "2999-01-01" });
      await sent(`invoices/${id}/remind`, undefined);
      expect(arrived().text).not.to.contain("betaaltermijn");
    });

    it("refuses anything but an open invoice with an amount due", async () => {
      for (const values of [
        { status: "draft", number: null },
        { status: "paid", paid_total: "121.00" },
        { status: "cancelled" },
        { kind: "credit_note", total: "-121.00" },
        { credited_total: "121.00" },
      ]) {
        const id = await documents.invoice(values);
        const { status, body } = await post(`invoices/${id}/remind`, undefined);
        expect([status, body.error.message], JSON.stringify(values)).to.deep.equal([409, "errors.invoicing.wrong_status"]);
        await untouched(id);
      }
    });

    it("is one mail and one step for several parallel requests", async () => {
      const id = await documents.invoice();
      const answers = await Promise.all([1, 2, 3].map(() => post(`invoices/${id}/remind`, undefined)));
      expect(answers.map(({ status, body }) => [status, body.reminder_count])).to.deep.equal(Array(3).fill([200, 1]));
      expect(mailbox.delivered).to.have.length(1);
      expect(await documents.trail(id)).to.deep.equal([["reminder_sent", { to: CUSTOMER.email, manual: true }]]);
      expect((await sent(`invoices/${id}/remind`, undefined)).reminder_count, "the next one is another").to.equal(2);
    });

    it("is mailed by the one that waited where the mail of the first is not taken", async () => {
      mailbox.fail({ at: "data", code: 451, text: "later" });
      const id = await documents.invoice();
      const answers = await Promise.all([1, 2].map(() => post(`invoices/${id}/remind`, undefined)));
      expect(answers.map(({ status }) => status)).to.have.members([200, 502]);
      expect((await documents.row(id))["reminder_count"]).to.equal(1);
    });

    it("counts nothing when the mail is not taken", async () => {
      mailbox.fail({ at: "data", code: 451, text: "later" });
      const id = await documents.invoice();
      expect((await post(`invoices/${id}/remind`, undefined)).status).to.equal(502);
      await untouched(id);
    });
  });

  describe("POST /invoicing/quotes/{quote_id}/send", () => {
    it("mails an open quote with the address of its page, and without one where links are off", async () => {
      await documents.account();
      const id = await documents.quote();
      expect((await sent(`quotes/${id}/send`)).sent_at).to.be.a("string");
      const mail = arrived();
      expect(mail.subject).to.match(/^Offerte 2026-0001 van /);
      expect(mail.text).to.contain("geldig tot en met 17-06-2026");
      const { public_token } = await documents.row(id, "quotes");
      const page = `http://${world.tenant.host}/quote/${public_token}`;
      expect(mail.text).to.contain(`Offerte bekijken en beslissen:\n${page}`);
      expect(mail.html).to.contain(`href="${page}"`).and.not.to.contain("cid:");
      expect((await world.tenant.owner.get(`/invoicing/quotes/${id}`)).body.public_url).to.equal(page);
      expect(mail.attachments.map(({ filename }) => filename)).to.deep.equal(["2026-0001.pdf"]);
      expect(await documents.trail(id)).to.deep.equal([["sent", { to: CUSTOMER.email }]]);
    });

    it("has no address where links are off", async () => {
      expect((await world.tenant.owner.put("/invoicing/settings", { public_invoice_links: false })).status).to.equal(200);
      await sent(`quotes/${await documents.quote()}/send`);
      expect(arrived().text).not.to.contain("http");
    });

    it("refuses one in any other state", async () => {
      for (const status of ["draft", "accepted", "rejected", "expired", "invoiced"]) {
        const id = await documents.quote({ status });
        expect((await post(`quotes/${id}/send`)).status, status).to.equal(409);
        await untouched(id, "quotes");
      }
    });
  });

  it("offers its kinds for rewording, with the names they may use", async () => {
    const { body } = await world.tenant.owner.get("/settings/email/templates");
    const offered = (kind: string) => body.find((one: { kind: string }) => one.kind === kind)?.variables;
    const document = ["brand", "name", "link", "number", "company", "contact", "total", "date", "reference"];
    expect(offered("invoicing.invoice")).to.have.members([
      ...document,
      ...["due_date", "outstanding", "refund", "state", "discount", "discount_until", "discounted"],
    ]);
    expect(offered("invoicing.quote")).to.have.members([...document, "valid_until"]);
    expect(offered("invoicing.reminder")).to.have.members([...document, "due_date", "outstanding", "days"]);
  });
});
