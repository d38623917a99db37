import { expect } from "chai";
import { MailWorld } from "../../../support/mail/mail-world.ts";
import { CUSTOMER, MailedDocuments, printerReady } from "./mailed-documents.ts";

describe("the name of a document in its mail", () => {
  const world = new MailWorld();
  let documents: MailedDocuments;

  before(async function () {
    this.timeout(120_000);
    await world.start();
    await printerReady();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    documents = new MailedDocuments(world.service, world.tenant.organisation.id, (await world.tenant.company()).id);
  });

  const named: [what: string, values: Record<string, unknown>, nl: string, en: string][] = [
    ["an invoice below zero", { total: "-121.00", subtotal: "-100.00", tax_total: "-21.00" }, "Factuur", "Invoice"],
    ["a credit note of nothing", { kind: "credit_note", total: "0.00", subtotal: "0.00", tax_total: "0.00" }, "Creditnota", "Credit note"], // biome-ignore format: a table
  ];
  for (const [what, values, nl, en] of named)
    it(`is that of its kind on ${what}, as on page and PDF`, async () => {
      for (const [locale, name, from] of [
        ["nl", nl, "van"],
        ["en", en, "from"],
      ] as const) {
        world.mailbox.delivered.length = 0;
        const id = await documents.invoice({ ...values, locale });
        expect((await world.tenant.owner.post(`/invoicing/invoices/${id}/send`, {})).status).to.equal(200);
        const { number } = await documents.row(id);
        const mail = world.mailbox.to(CUSTOMER.email)[0]?.mail;
        expect(mail?.subject).to.equal(`${name} ${number} ${from} ${world.tenant.organisation.name}`);
        expect(mail?.text).to.contain(`${name.toLowerCase()} ${number}`);
        expect((await world.tenant.owner.get(`/invoicing/invoices/${id}/preview`)).text).to.contain(`<title>${name} ${number}`);
      }
    });
});
