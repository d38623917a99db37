import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Caller } from "../../../support/service.ts";
import { sharedService, type TestService } from "../../../support/service.ts";
import { attach } from "../../platform/files-support.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10"/></svg>';

describe("previews of documents", () => {
  let service: TestService;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    books = await Invoicing.open(service, await service.tenant());
    await ok(
      books.owner.put("/invoicing/settings", {
        company_details: { name: "Vela Works B.V.", iban: "NL91 ABNA 0417 1643 00", vat_number: "NL001", city: "Ede" },
      }),
    );
  });
  after(() => service.stop());

  const preview = (id: string, caller: Caller = books.owner) => caller.get(`/invoicing/invoices/${id}/preview`);
  /** The words of a page. */
  const words = (html: string) =>
    html
      .replace(/<style>.*?<\/style>/gs, "")
      .replace(/<[^>]+>/g, " ")
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&amp;/g, "&")
      .replace(/\s+/g, " ");
  const shown = async (id: string) => words((await preview(id)).text);
  const withTemplate = async (config: object): Promise<string> =>
    (await ok(books.owner.post("/invoicing/templates", { name: "T", config }))).id;

  it("are pages that load nothing and are not cached, the same each time for every reader", async () => {
    const { id } = await books.issued();
    const first = await preview(id);
    expect(first.status, first.text).to.equal(200);
    expect(first.headers).to.include({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-store",
    });
    const admin = await books.tenant.member("admin");
    expect((await preview(id, admin)).text).to.equal(first.text);
  });

  it("write money, quantities and dates as the document's language does", async () => {
    const lines = [books.line("7.5", "1234.56"), books.line(2, "10", "9")];
    const dutch = await books.issued(lines, { locale: "nl", issue_date: "2026-03-02", due_date: "2026-03-16" });
    const text = await shown(dutch.id);
    for (const one of ["Factuur", "€ 1.234,56", "7,5", "21%", "€ 9.259,20", "02-03-2026", "16-03-2026", "Te betalen"])
      expect(text).to.include(one);
    const english = await books.issued(lines, { locale: "en", currency: "USD" });
    for (const one of ["Invoice", "$ 1,234.56", "7.5", "To pay"]) expect(await shown(english.id)).to.include(one);
    const swiss = await books.issued(lines, { currency: "CHF", locale: "de" });
    expect(await shown(swiss.id)).to.include("CHF 1.234,56");
  });

  it("mark a draft and a cancelled invoice with a word over the page", async () => {
    const draft = await books.draft(undefined, { locale: "nl" });
    expect((await preview(draft.id)).text).to.include('class="watermark" aria-hidden="true"><span>Concept<');
    await books.issue(draft.id);
    expect((await preview(draft.id)).text).not.to.include('class="watermark"');
    await ok(books.owner.post(`/invoicing/invoices/${draft.id}/cancel`));
    expect((await preview(draft.id)).text).to.include("<span>Geannuleerd<");
    expect(await shown(draft.id), "nothing is asked for a cancelled one").not.to.match(/verzoeken|Te betalen/);
  });

  it("state terms of payment on an invoice, and none on a credit note, which asks for nothing", async () => {
    const template_id = await withTemplate({ layout: [{ key: "meta", fields: [{ key: "payment_terms" }] }] });
    const { id } = await books.issued(undefined, { locale: "nl", template_id });
    expect(await shown(id)).to.include("14 dagen");
    const note = await books.credit(id);
    expect(await shown(note.id)).not.to.include("dagen");
    await books.issue(note.id);
    expect(await shown(note.id))
      .to.include("Creditnota")
      .and.not.include("14 dagen");
  });

  it("print several kinds of lines in sections with subtotals, one kind without", async () => {
    const { id } = await books.draft([
      books.line(1, "10"),
      books.line(2, "20", "21", { line_kind: "hours" }),
      books.line(1, "5"),
    ]);
    const text = await shown(id);
    expect(text).to.match(
      /Uren .*Line of 20.* Subtotaal € 40,00 .*Producten en diensten .*Line of 10 .*Line of 5 .* Subtotaal € 15,00/,
    );
    const single = await books.draft([books.line(1, "10"), books.line(1, "5")]);
    expect(await shown(single.id)).not.to.include("Producten en diensten");
  });

  it("show paid, credited and due amounts when not zero", async () => {
    const { id } = await books.issued();
    expect(await shown(id)).to.match(/Totaal € 1\.028,44 Te betalen € 1\.028,44/);
    await books.pay(id, "400");
    expect(await shown(id)).to.match(/Totaal € 1\.028,44 Betaald € -400,00 Te betalen € 628,44/);
    await books.pay(id, "628.44");
    const settled = await shown(id);
    expect(settled).to.include("Betaald € -1.028,44");
    expect(settled).not.to.match(/Te betalen|verzoeken/);
  });

  it("ask for the amount due, and only on an invoice", async () => {
    const { id, number } = await books.issued(undefined, { due_date: "2030-01-31" });
    await books.pay(id, "1000");
    expect(await shown(id)).to.include(
      `Wij verzoeken u € 28,44 uiterlijk 31-01-2030 over te maken naar NL91 ABNA 0417 1643 00 ten name van Vela Works B.V. onder vermelding van ${number}.`,
    );
    const note = await books.credit(id);
    expect(await shown(note.id))
      .to.include("Creditnota")
      .and.include(`U hoeft niets te betalen. Met deze creditnota geven wij u € 1.028,44 terug op factuur ${number}.`)
      .and.not.match(/verzoeken|Te betalen/);
    await books.issue(note.id);
    expect(await shown(note.id), "28.44 of it was set off, 1000.00 are still to be paid back")
      .to.include(`€ 28,44 is verrekend met factuur ${number}.`)
      .and.include("Wij betalen € 1.000,00 aan u terug.")
      .and.include("Terug te ontvangen € 1.000,00")
      .and.not.match(/verzoeken|Te betalen/);
  });

  it("say what an invoice below zero pays back, which nobody overpaid", async () => {
    const { id } = await books.issued([books.line(1, "-50")], { locale: "nl" });
    expect(await shown(id))
      .to.include("Totaal € -60,50 Terug te ontvangen € 60,50")
      .and.not.match(/Te veel betaald|Te betalen|verzoeken/);
    await books.pay(id, "-60.50");
    expect(await shown(id)).not.to.include("Terug te ontvangen");
  });

  it("report an overpayment, and ask for nothing then", async () => {
    const { id } = await books.issued();
    await books.pay(id, "1100.00");
    expect(await shown(id))
      .to.include("Te veel betaald € 71,56")
      .and.not.match(/verzoeken|Te betalen/);
  });

  it("keep the lines and tabs of a description", async () => {
    const description = "Ontwerp\n- schetsen\n\tin drie kleuren";
    const { id } = await books.draft([books.line(1, "10", "21", { description: `${description}\r\n` })]);
    const { lines } = await ok(books.owner.get(`/invoicing/invoices/${id}`));
    expect(lines[0].description).to.equal(description);
    const { text } = await preview(id);
    expect(text)
      .to.include(`<td class="description">${description}</td>`)
      .and.match(/\.description \{[^}]*white-space: pre-wrap/);
    const refusedOne = await books.owner.post("/invoicing/invoices", {
      company_id: books.company,
      lines: [books.line(1, "10", "21", { description: "a\u0007b" })],
    });
    expect([refusedOne.status, Object.keys(refusedOne.body.error.fields)]).to.deep.equal([422, ["description"]]);
  });

  it("carry the notice of a reverse charge with any template", async () => {
    const lines = [books.line(1, "1450", "reverse")];
    const notice = "Btw verlegd: de afnemer draagt de btw af.";
    expect(await shown((await books.draft()).id)).not.to.include(notice);
    for (const config of [
      { layout: [{ key: "reverse_charge", enabled: false }] },
      { design: "custom", html: "<p>{{ document.kind }}</p>" },
      { design: "letterhead" },
    ]) {
      const draft = await books.draft(lines, { template_id: await withTemplate(config) });
      expect((await shown(draft.id)).split(notice), JSON.stringify(config)).to.have.length(2);
    }
  });

  it("print notes as markdown and every value as text", async () => {
    const name = '<img src=x onerror="alert(1)">{{ company.iban }}';
    const { id } = await books.draft([books.line(1, "10", "21", { description: name })], {
      notes:
        "**Thanks** for _all_ of it\n\n- one\n- [ours](https://example.com) [bad](javascript:alert)\n\n![p](https://x.test/y.png)",
      intro: "2 < 3 & 4",
    });
    const { text } = await preview(id);
    expect(text).to.include("<strong>Thanks</strong> for <em>all</em>").and.include('<a href="https://example.com">ours</a>');
    expect(text).not.to.match(/<img src=x|<img src="http|href="javascript/);
    expect(words(text)).to.include(name);
  });

  it("hold the logo themselves, and nothing of another record or organisation", async () => {
    const { id } = await books.draft();
    const file = await ok(attach(books.owner, "entity_type=branding", LOGO, "image/svg+xml", "logo.svg"));
    const address = `http://${books.tenant.host}/api/v1/files/${file.id}/public`;
    await ok(books.owner.patch("/meta/tenant", { logo_url: address, primary_color: "#0b6e4f" }));
    const data = `data:image/svg+xml;base64,${Buffer.from(LOGO).toString("base64")}`;
    const { text } = await preview(id);
    expect(text).to.include(`<img class="logo" src="${data}"`).and.include("--accent: #0b6e4f");

    const other = await service.tenant();
    await ok(other.owner.patch("/meta/tenant", { logo_url: address }));
    const theirs = await Invoicing.open(service, other);
    expect((await theirs.owner.get(`/invoicing/invoices/${(await theirs.draft()).id}/preview`)).text).not.to.include(
      "data:image",
    );

    const paper = await ok(attach(books.owner, "entity_type=branding", LOGO, "image/svg+xml", "own.svg"));
    const background = { enabled: true, use_logo: false, file_id: paper.id };
    const draft = await books.draft(undefined, { template_id: await withTemplate({ background }) });
    expect((await preview(draft.id)).text).to.include('class="background" aria-hidden="true"');
    await ok(books.owner.delete(`/files/${paper.id}`));
    expect((await preview(draft.id)).text).not.to.include('class="background"');
  });

  it("follow the template of the document, and without one the classic look", async () => {
    const template = await withTemplate({
      design: "letterhead",
      accent_color: "#aa3311",
      footer_i18n: { nl: "Onze voorwaarden", en: "Our terms" },
      layout: [
        { key: "totals" },
        { key: "lines", fields: [{ key: "amount", label_i18n: { nl: "Som" } }, { key: "tax", enabled: false }, { key: "unit" }] },
        { key: "notes", enabled: false },
        { key: "lines" },
        { key: "no_such_block" },
      ],
    });
    const { id } = await books.draft(undefined, { template_id: template, notes: "Not printed" });
    const text = await shown(id);
    expect((await preview(id)).text)
      .to.include('class="letterhead"')
      .and.include("--accent: #aa3311");
    expect(text).to.include("Onze voorwaarden").and.not.include("Not printed");
    expect(text).to.match(/Totaal .* Omschrijving Aantal Som Prijs Eenheid /);
    await ok(books.owner.delete(`/invoicing/templates/${template}`));
    expect((await preview(id)).text).to.include('class="parties"');
  });

  it("are hidden from those who do not see the document", async () => {
    const draft = await books.draft();
    const { id } = await books.issued();
    const client = await books.tenant.member("client");
    await books.tenant.group("Own", [books.company], [client.membershipId]);
    const elsewhere = await books.tenant.company();
    const restricted = await books.tenant.member("admin");
    await books.tenant.group("Others", [String(elsewhere.id)], [restricted.membershipId]);
    const strangers = await service.tenant();
    for (const [caller, path, status] of [
      [strangers.owner, `/invoicing/invoices/${id}/preview`, 404],
      [await books.tenant.member("member"), `/invoicing/invoices/${id}/preview`, 403],
      [books.owner, `/invoicing/invoices/${randomUUID()}/preview`, 404],
      [books.owner, `/invoicing/quotes/${id}/preview`, 404],
      [restricted, `/invoicing/invoices/${id}/preview`, 404],
      [client, `/invoicing/invoices/${id}/preview`, 200],
      [client, `/invoicing/invoices/${draft.id}/preview`, 404],
      [client, `/invoicing/quotes/${id}/preview`, 403],
    ] as const)
      expect((await caller.get(path)).status, path).to.equal(status);
  });

  it("take the same statements for two lines and for two hundred", async () => {
    const few = await books.issued([books.line(1, "1"), books.line(1, "2")]);
    const many = await books.issued(Array.from({ length: 200 }, (_, index) => books.line(1, index + 1)));
    expect((await preview(many.id)).statements)
      .to.equal((await preview(few.id)).statements)
      .and.be.at.most(2);
  });
});
