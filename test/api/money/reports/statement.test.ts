import { expect } from "chai";
import { MailWorld } from "../../../support/mail/mail-world.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";
import { printerReady } from "../mails/mailed-documents.ts";

describe("statements of account", () => {
  const world = new MailWorld();
  let invoicing: Invoicing;
  before(async function () {
    this.timeout(120_000);
    await world.start();
    await printerReady();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    invoicing = await Invoicing.open(world.service, world.tenant);
  });

  const path = (rest = "", query: object = {}) =>
    `/invoicing/reports/statement/${invoicing.company}${rest}?${new URLSearchParams({ from: "2026-04-01", to: "2026-05-31", ...query })}`;
  const dated = (issue_date: string, due_date: string, lines?: object[], more?: object) =>
    invoicing.draft(lines, more).then(({ id }) => invoicing.issue(id, { issue_date, due_date }));
  /** An invoice before the period, and in it a payment, an invoice and a credit note that is paid back later. */
  const written = async () => {
    const old = await dated("2026-03-01", "2026-03-15");
    await invoicing.pay(old.id, "400.00", { paid_on: "2026-04-10" });
    const next = await dated("2026-05-01", "2026-06-01", [invoicing.line(1, "100.00")], { reference: "PO 7" });
    const draft = await invoicing.credit(old.id);
    const note = await invoicing.issue(draft.id, { issue_date: "2026-05-20", due_date: "2026-05-20" });
    await invoicing.pay(note.id, "-400.00", { paid_on: "2026-06-02" });
    return { old, next, note };
  };

  it("go from the balance before, by each entry, to what is open", async () => {
    const { old, next, note } = await written();
    const { company_id, name, from, to, accounts } = await ok(world.tenant.owner.get(path()));
    expect([company_id, name, from, to]).to.deep.equal([invoicing.company, "Aster", "2026-04-01", "2026-05-31"]);
    const [{ entries, open_items, ...account }] = accounts;
    expect(account).to.deep.equal({ currency: "EUR", opening: "1028.44", closing: "-279.00", overdue: "-400.00" });
    const shown = ({ date, type, number, reference, due_date, amount, balance }: Record<string, unknown>) => [
      ...[date, type, number, reference, due_date, amount, balance],
    ];
    expect(entries.map(shown)).to.deep.equal([
      ["2026-04-10", "payment", old.number, null, null, "-400.00", "628.44"],
      ["2026-05-01", "invoice", next.number, "PO 7", "2026-06-01", "121.00", "749.44"],
      ["2026-05-20", "credit_note", note.number, old.number, "2026-05-20", "-1028.44", "-279.00"],
    ]);
    expect(open_items.map(({ number, open, days_late }: Record<string, unknown>) => [number, open, days_late])).to.deep.equal([
      [note.number, "-400.00", 11],
      [next.number, "121.00", 0],
    ]);
  });

  it("show a cancellation, have an account for each currency, and are empty for a client without documents", async () => {
    const { id } = await dated("2026-04-05", "2026-04-20", [invoicing.line(1, "10.00")], { currency: "USD" });
    await ok(world.tenant.owner.post(`/invoicing/invoices/${id}/cancel`));
    await world.service.sql.query("update invoices set cancelled_at = '2026-04-07T10:00:00Z' where id = $1", [id]);
    await dated("2026-04-05", "2026-04-20", [invoicing.line(1, "20.00")]);
    const { accounts } = await ok(world.tenant.owner.get(path()));
    expect(
      accounts.map(({ currency, closing, entries }: Record<string, unknown>) => [
        currency,
        closing,
        (entries as object[]).length,
      ]),
    ).to.deep.equal([
      ["EUR", "24.20", 1],
      ["USD", "0.00", 2],
    ]);
    const other = (await world.tenant.company({ name: "Other" })).id;
    expect((await ok(world.tenant.owner.get(`/invoicing/reports/statement/${other}`))).accounts).to.deep.equal([]);
  });

  it("are 404 outside of the caller's clients, and 403 without the permission", async () => {
    const [admin, member] = [await world.tenant.member("admin"), await world.tenant.member("member")];
    const other = (await world.tenant.company({ name: "Other" })).id;
    await world.tenant.group("Some", [other], [admin.membershipId]);
    for (const rest of ["", "/export"]) {
      expect((await admin.get(path(rest))).status).to.equal(404);
      expect((await member.get(path(rest))).status).to.equal(403);
    }
    expect((await admin.post(path("/send"), {})).status).to.equal(404);
    expect((await member.post(path("/send"), {})).status).to.equal(403);
  });

  it("are a PDF, a spreadsheet and a picture", async function () {
    this.timeout(60_000);
    await written();
    const file = (format: string) => world.tenant.owner.get(path("/export", { format }));
    const pdf = await file("pdf");
    expect(pdf.headers["content-type"]).to.equal("application/pdf");
    expect(pdf.headers["content-disposition"]).to.contain("-2026-04-01-2026-05-31.pdf");
    expect(pdf.bytes.subarray(0, 5).toString()).to.equal("%PDF-");
    expect((await file("csv")).text)
      .to.contain("EUR,2026-04-01,opening,,,,,1028.44")
      .and.to.contain("EUR,2026-05-31,closing,,,,,-279.00");
    expect((await file("svg")).text).to.match(/^<svg/);
  });

  it("are mailed to the client's address for invoices with the PDF, and the client's trail records it", async function () {
    this.timeout(60_000);
    await written();
    const refused = await world.tenant.owner.post(path("/send"), {});
    expect([refused.status, refused.body.error.message]).to.deep.equal([400, "errors.invoicing.no_recipient"]);
    await ok(world.tenant.owner.patch(`/companies/${invoicing.company}`, { invoice_email: "boek@aster.example" }));
    const sent = await ok(world.tenant.owner.post(path("/send", { to: "2026-05-10" }), { message: "Zoals besproken." }));
    expect(sent).to.deep.equal({ to: "boek@aster.example", refused: null });
    const [mail, ...more] = world.mailbox.to("boek@aster.example");
    expect(more).to.deep.equal([]);
    expect(mail?.mail.subject).to.equal(`Rekeningoverzicht van ${world.tenant.organisation.name}`);
    expect(mail?.mail.text).to.contain("Zoals besproken.").and.to.contain("van 01-04-2026 tot en met 10-05-2026");
    expect(mail?.mail.text).to.contain("Er staat EUR 749.44 open. Daarvan is de betaaltermijn van EUR 628.44 verstreken.");
    expect(mail?.mail.attachments.map(({ filename }) => filename)).to.deep.equal(["rekeningoverzicht-2026-04-01-2026-05-10.pdf"]);
    expect((await invoicing.trail(invoicing.company, "company")).at(-1)).to.deep.equal([
      "statement_sent",
      { to: "boek@aster.example" },
    ]);
  });
});
