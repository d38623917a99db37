import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import sinon from "sinon";
import { runtime } from "../../../core/config/runtime.ts";
import { textsOf } from "../../../services/money/pages/page-texts.ts";
import type { Answer } from "../../support/http.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { fileBody } from "../../support/multipart.ts";
import { visitPage } from "../../support/pages.ts";
import { png } from "../../support/pictures.ts";
import { Invoicing, ok } from "../money/documents/invoicing.ts";
import { printerReady } from "../money/mails/mailed-documents.ts";
import { ended, GENERATE, made, restoreFigures, visits, withFigures } from "../reporting/report-world.ts";

const SECTION = "marketing.traffic_channels";
const JANUARY = { period_start: "2026-01-01", period_end: "2026-01-31" };
const SELLER = {
  name: "Vela Works B.V.",
  address_line1: "Kade 1",
  postal_code: "1011 AB",
  city: "Utrecht",
  country: "NL",
  vat_number: "NL123456789B01",
  coc_number: "12345678",
  iban: "NL91 ABNA 0417 1643 00",
};
const OTHER_SELLER = {
  name: "Other Company B.V.",
  address_line1: "Elsewhere 9",
  postal_code: "9999 ZZ",
  city: "Groningen",
  country: "BE",
  vat_number: "BE0123456749",
  coc_number: "99999999",
  iban: "DE89 3704 0044 0532 0130 00",
  bic: "COBADEFF",
  website: "https://other.example",
  email: "other@other.example",
  phone: "+32 2 000 00 00",
};
const CLIENT = {
  country: "NL",
  coc_number: "87654321",
  address_line1: "Dijk",
  house_number: "12a",
  postal_code: "3011 AA",
  city: "Rotterdam",
  invoice_email: "anna@vela.test",
};

/** The parts of a printed page that show a document's state: what was paid or credited, how to pay, a watermark (money §4). */
const STATE = [
  /<section class="prose payment">.*?<\/section>/gs,
  /<dl class="payment-box">.*?<\/dl>/gs,
  /<figure class="(?:payment|transfer)-qr">.*?<\/figure>/gs,
  /<p class="payment-link">.*?<\/p>/gs,
  /<tr class="(?:paid|credited|to_pay)[^>]*>.*?<\/tr>/gs,
  /<div class="watermark".*?<\/div>/gs,
  / \([^)]*\)(?=<\/title>)/g,
];
const masked = (page: string): string => STATE.reduce((text, part) => text.replace(part, ""), page).replace(/\s+/g, " ");

/** The rows of a payer's page that are not its state. */
function shownFacts(page: string): string {
  const t = textsOf("nl");
  const rows = [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [name, value]);
  return JSON.stringify(rows.filter(([name]) => [t.from, t.to, t.date, t.total].includes(name as string)));
}

type Views = Record<string, () => Promise<string>>;

describe("what left the organisation does not change", function () {
  this.timeout(600_000);
  const world = new MailWorld();
  let books: Invoicing;
  let clock: sinon.SinonFakeTimers | undefined;
  const figures = (value: number) => withFigures({ [SECTION]: async () => visits(value) });
  before(async () => {
    await world.start();
    await world.renew();
    await world.service.sql.query(
      "update organisations set enabled_modules = enabled_modules || '{marketing,ads_platform,reporting}' where id = $1",
      [world.tenant.organisation.id],
    );
    books = await Invoicing.open(world.service, world.tenant);
    await printerReady();
    figures(120);
  });
  after(async () => {
    clock?.restore();
    restoreFigures();
    await world.stop();
  });

  const owner = () => world.tenant.owner;
  const text = async (answer: Promise<Answer>): Promise<string> => {
    const { status, bytes, text: said } = await answer;
    if (status !== 200) throw new Error(`${status} ${said}`);
    return bytes.toString("latin1");
  };
  const stored = async (table: string, id: string) =>
    (await world.service.sql.query(`select * from ${table} where id = $1`, [id])).rows[0];

  /** Every way to a document of invoicing. */
  async function viewsOf(kind: "invoices" | "quotes", id: string): Promise<Views> {
    const at = `/invoicing/${kind}/${id}`;
    const token = (await stored(kind, id)).public_token;
    const open = (rest: string) =>
      world.service.call("GET", `/invoicing/public/${kind}/${token}${rest}`, { host: world.tenant.host });
    const page = kind === "invoices" ? "invoice" : "quote";
    const files: Views =
      kind === "quotes"
        ? {}
        : {
            "hybrid PDF": () => text(owner().get(`${at}/pdf?hybrid=true`)),
            UBL: () => text(owner().get(`${at}/ubl`)),
            Peppol: () => text(owner().get(`${at}/ubl?profile=peppol`)),
            archive: () => text(owner().get(`/invoicing/invoices/pdf?ids=${id}`)),
          };
    return {
      PDF: () => text(owner().get(`${at}/pdf`)),
      ...files,
      "PDF by its link": () => text(open("/pdf")),
      preview: async () => masked(await text(owner().get(`${at}/preview`))),
      "preview by its link": async () => masked(await text(open("/preview"))),
      page: async () => shownFacts((await visitPage(world.service.port, world.tenant.host, "GET", `/${page}/${token}`)).text),
      party: async () => JSON.stringify((await ok(owner().get(at))).customer),
    };
  }
  const attachments = () =>
    world.mailbox.delivered.map(({ mail }) => Buffer.from(mail.attachments[0]?.content as ArrayBuffer).toString("latin1"));

  it("whatever setting, template, client, contact, account, logo, rate, zone, section and clock change", async () => {
    await ok(owner().put("/invoicing/settings", { company_details: SELLER }));
    const picture = fileBody(png(), "image/png", "logo.png");
    const logo = (await ok(owner().post("/files?entity_type=branding", picture.body, { headers: picture.headers }))).id;
    await ok(
      owner().patch("/meta/tenant", {
        brand_name: "First Brand",
        logo_url: `https://x.example/api/v1/files/${logo}/public`,
        accent_color: "#0b6e4f",
      }),
    );
    await ok(owner().patch(`/companies/${books.company}`, CLIENT));
    const contact = (await ok(owner().post("/contacts", { first_name: "Anna", last_name: "de Vries", email: "anna@vela.test" })))
      .id;
    const background = { enabled: true, use_logo: false, file_id: logo };
    const template = (await ok(owner().post("/invoicing/templates", { name: "T", config: { design: "letterhead", background } })))
      .id;
    const reportTemplate = (
      await ok(
        owner().post("/reporting/templates", {
          name: "R",
          intro_text: "Intro",
          accent_color: "#0b6e4f",
          layout: { sections: [{ key: SECTION, label_i18n: { nl: "Bezoek" } }] },
        }),
      )
    ).id;

    const more = { template_id: template, contact_id: contact, intro: "**Intro**", notes: "Notes", reference: "PO 7" };
    const mailed = await books.issued(undefined, more);
    await ok(owner().post(`/invoicing/invoices/${mailed.id}/send`, { to: "anna@vela.test" }));
    const opened = await books.issued([books.line(1, 100, "reverse")], more);
    const exported = await books.issued(undefined, more);
    const entry = async (suffix: string) =>
      readFile(
        path.join(
          runtime().config.accountingJournalFolder as string,
          world.tenant.organisation.slug,
          `${exported.number}.${suffix}`,
        ),
        "latin1",
      );
    await world.service.sql.query("update tax_rates set ledger_code = '8000' where organisation_id = $1", [
      world.tenant.organisation.id,
    ]);
    for (const provider of ["journal", "ubl"])
      await ok(owner().post(`/invoicing/invoices/${exported.id}/export?provider=${provider}`));
    const source = await books.issued(undefined, more);
    const note = await books.issue((await books.credit(source.id)).id);
    const draft = await ok(owner().post("/invoicing/quotes", { company_id: books.company, lines: books.mixed(), ...more }));
    const quote = await ok(owner().post(`/invoicing/quotes/${draft.id}/issue`, {}));
    await ok(owner().post(`/invoicing/quotes/${quote.id}/send`, { to: "anna@vela.test" }));
    const report = await made(world.service, owner(), { company_id: books.company, ...JANUARY });
    await ok(owner().put(`/reporting/reports/${report["id"]}/narrative`, { narrative: { [SECTION]: "Zelf geschreven." } }));
    await made(world.service, owner(), { company_id: books.company, ...JANUARY });
    await ok(owner().post(`/reporting/reports/${report["id"]}/send`, { recipients: [{ email: "anna@vela.test" }] }));

    const reportAt = `/reporting/reports/${report["id"]}`;
    const documents: Record<string, Views> = {
      "an invoice by mail": await viewsOf("invoices", mailed.id),
      "an invoice by its link": await viewsOf("invoices", opened.id),
      "an export to bookkeeping": {
        ...(await viewsOf("invoices", exported.id)),
        journal: () => entry("csv"),
        "e-invoice": () => entry("xml"),
      },
      "a credit note": await viewsOf("invoices", note.id),
      "a quote": await viewsOf("quotes", quote.id),
      "a report": {
        PDF: () => text(owner().get(`${reportAt}/pdf`)),
        page: () => text(owner().get(`${reportAt}/preview`)),
        figures: async () => {
          const { data_snapshot, narrative, sections, title, company_name, period_end } = await ok(owner().get(reportAt));
          return JSON.stringify({ data_snapshot, narrative, sections, title, company_name, period_end });
        },
      },
    };
    const looked = async () => {
      const found: Record<string, string> = {};
      for (const [name, views] of Object.entries(documents))
        for (const [view, look] of Object.entries(views)) found[`${name}: ${view}`] = await look();
      return found;
    };
    const before = await looked();
    expect([before["an invoice by mail: PDF"], before["a quote: PDF"], before["a report: PDF"]]).to.deep.equal(attachments());
    expect(before["an export to bookkeeping: e-invoice"]).to.equal(before["an export to bookkeeping: UBL"]);

    const settings = (values: object) => ok(owner().put("/invoicing/settings", values));
    const CHANGES: Record<string, () => Promise<unknown>> = {
      "the seller": () => settings({ company_details: OTHER_SELLER }),
      "terms, numbers and the way of taxing": () =>
        settings({
          tax_country: "BE",
          prices_include_tax: true,
          default_due_days: 90,
          quote_valid_days: 90,
          default_hourly_rate: "150.00",
          invoice_number_format: "X{seq:6}",
          quote_number_format: "Y{seq:6}",
          number_reset_yearly: false,
          reminders_enabled: true,
          reminder_days: [1],
        }),
      "brand and colours": () =>
        ok(owner().patch("/meta/tenant", { brand_name: "Second Brand", accent_color: "#aa0011", primary_color: "#00aa11" })),
      "the logo": () => ok(owner().patch("/meta/tenant", { logo_url: null })),
      "the logo's file": () => ok(owner().delete(`/files/${logo}`)),
      "language, zone, currency and country": () =>
        ok(owner().patch("/meta/tenant", { locale: "en", timezone: "Pacific/Kiritimati", currency: "USD", country: "US" })),
      "the template": () =>
        ok(owner().patch(`/invoicing/templates/${template}`, { config: { design: "classic", accent_color: "#123456" } })),
      "the template, deleted": () => ok(owner().delete(`/invoicing/templates/${template}`)),
      "the client": () =>
        ok(
          owner().patch(`/companies/${books.company}`, {
            name: "Renamed",
            legal_name: "Renamed Holding B.V.",
            address_line1: "Nowhere",
            house_number: "1",
            postal_code: "0000 AA",
            city: "Elst",
            country: "DE",
            vat_number: "DE123456789",
            coc_number: "11111111",
            invoice_email: "new@vela.test",
          }),
        ),
      "the contact": () =>
        ok(owner().patch(`/contacts/${contact}`, { first_name: "Bram", last_name: "Anders", email: "bram@vela.test" })),
      "the contact, deleted": () => ok(owner().delete(`/contacts/${contact}`)),
      "the account": () =>
        world.service.sql.query("update accounts set full_name = 'Other Person' where id = $1", [owner().accountId]),
      "tax rates": async () => {
        for (const id of Object.values(books.rates))
          await ok(owner().patch(`/invoicing/tax-rates/${id}`, { label_i18n: { nl: "Anders", en: "Other" }, rate: 13 }));
      },
      "tax rates, deleted": async () => {
        for (const id of Object.values(books.rates)) await ok(owner().delete(`/invoicing/tax-rates/${id}`));
      },
      "a payment account": () =>
        ok(owner().post("/invoicing/payment-accounts", { provider: "mollie", label: "Main", api_key: `test_${"x".repeat(30)}` })),
      "a payment": () => books.pay(mailed.id, "28.44"),
      "the balance of its invoice": () => books.pay(source.id, "10.00"),
      "a decision": () => ok(owner().post(`/invoicing/quotes/${quote.id}/accept`, {})),
      "a cancellation": () => ok(owner().post(`/invoicing/invoices/${opened.id}/cancel`)),
      "another export": async () => {
        await ok(owner().post(`/invoicing/invoices/${exported.id}/export?provider=ubl`));
      },
      "figures of the source": async () => figures(7),
      "new figures asked for": async () =>
        expect((await owner().post(GENERATE, { company_id: books.company, ...JANUARY, refresh_data: true })).status).to.equal(
          409,
        ),
      "the report template and the name of a section": () =>
        ok(
          owner().put(`/reporting/templates/${reportTemplate}`, {
            name: "R2",
            intro_text: "Other",
            accent_color: "#aa0011",
            layout: { sections: [{ key: SECTION, enabled: false, label_i18n: { nl: "Anders" } }] },
          }),
        ),
      "the report template, deleted": () => ok(owner().delete(`/reporting/templates/${reportTemplate}`)),
      "settings of reports": () =>
        ok(
          owner().put("/reporting/settings", { default_locale: "en", footer_text: "Other footer", schedule: { cadence: "off" } }),
        ),
      "the client's profile": () =>
        ok(
          owner().put(`/reporting/companies/${books.company}/profile`, {
            display_name: "Other",
            locale: "en",
            sections: { [SECTION]: false },
          }),
        ),
      "a correction": async () => {
        await ended(world.service, owner(), (await ok(owner().post(`${reportAt}/revise`))).id);
      },
      "the clock, by two years": async () => {
        clock = sinon.useFakeTimers({ now: Date.now() + 2 * 365 * 86_400_000, toFake: ["Date"] });
      },
    };
    const differing: string[] = [];
    const compare = async (change: string) => {
      const after = await looked();
      for (const [view, was] of Object.entries(before)) {
        const is = after[view] as string;
        if (is === was) continue;
        const from = [...is].findIndex((letter, index) => letter !== was[index]);
        differing.push(
          `${change} changes ${view} at ${JSON.stringify([was, is].map((text) => text.slice(from - 60, from + 60)))}`,
        );
      }
    };
    for (const [change, make] of Object.entries(CHANGES)) {
      await make();
      // Naming the change that shows takes a look after each.
      if (process.env["LEFT_EACH"]) await compare(change);
    }
    await compare("one of them");
    expect(differing).to.deep.equal([]);
    expect([Object.keys(documents).length, Object.keys(before).length, Object.keys(CHANGES).length]).to.deep.equal([6, 51, 28]);
  });
});
