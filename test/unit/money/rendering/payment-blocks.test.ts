import { expect } from "chai";
import { codePayload, isToPay } from "../../../../services/money/rendering/blocks/body-blocks.ts";
import type { DocumentRow } from "../../../../services/money/rendering/document-rows.ts";
import { documentView } from "../../../../services/money/rendering/document-view.ts";
import { type Issuer, SAMPLE_TOKEN, sampleInvoice } from "../../../../services/money/templates/sample.ts";

const issuer: Issuer = {
  brand: "Vela",
  logo_url: null,
  primary_color: null,
  accent_color: null,
  base: "https://vela.example.nl",
  public_links: true,
  seller: { name: "Vela Works B.V.", iban: "NL91 ABNA 0417 1643 00" },
};
const ALL = ["payment_box", "payment_qr", "payment_link", "tax_summary"].map((key) => ({ key, enabled: true }));
const NO_PICTURES = { logo: null, background: null, onCode: null };

const invoice = (values: object = {}): DocumentRow => ({
  ...sampleInvoice(issuer, { layout: ALL }, { locale: "nl", currency: "EUR" }),
  number: "2026-0031",
  outstanding: "628.44",
  ...values,
});
const blocks = (row: DocumentRow) => documentView(row, NO_PICTURES).body;
const keys = (row: DocumentRow) => blocks(row).map(({ key }) => key);
const block = (row: DocumentRow, name: string) => blocks(row).find(({ key }) => key === name);

describe("a document's request for payment", () => {
  it("is the amount due of an invoice that is not cancelled", () => {
    expect(isToPay(invoice())).to.equal(true);
    for (const values of [{ status: "cancelled" }, { outstanding: "0.00" }, { outstanding: "-1.00" }, { kind: "credit_note" }])
      expect(isToPay(invoice(values)), JSON.stringify(values)).to.equal(false);
    expect(block(invoice(), "payment_box")?.rows?.map(({ value }) => value)).to.deep.equal([
      "€ 628,44",
      "NL91 ABNA 0417 1643 00",
      "Vela Works B.V.",
      "2026-0031",
    ]);
  });

  it("has a code and a link only while it is open, and the link only where it can be paid online", () => {
    expect(keys(invoice())).to.include.members(["payment_box", "payment_qr", "payment_link", "payment"]);
    expect(keys(invoice({ status: "draft" })))
      .to.include("payment_box")
      .and.not.include.members(["payment_qr"]);
    expect(keys(invoice({ status: "paid", outstanding: "0.00" }))).not.to.include.members(["payment_qr"]);
    expect(keys(invoice({ online: false })))
      .to.include("payment_qr")
      .and.not.include("payment_link");
    const settled = invoice({ outstanding: "0.00" });
    for (const key of ["payment_box", "payment_qr", "payment_link", "payment"]) expect(keys(settled)).not.to.include(key);
  });

  it("leads to the public page, else to the page behind sign-in, and never to a checkout", () => {
    expect(codePayload(invoice())).to.deep.equal({ payload: `https://vela.example.nl/invoice/${SAMPLE_TOKEN}`, is: "link" });
    expect(codePayload(invoice({ online: false })).is).to.equal("page");
    const id = "018f0000-0000-7000-8000-000000000001";
    const behind = { payload: `https://vela.example.nl/invoices/${id}`, is: "page" };
    expect(codePayload(invoice({ id, public_token: null }))).to.deep.equal(behind);
    const off = { id, public_links: false };
    for (const values of [
      { currency: "USD" },
      { seller: { name: "V", iban: "NL91ABNA0417164301" } },
      { outstanding: "1000000000" },
    ])
      expect(codePayload(invoice({ ...off, ...values })), JSON.stringify(values)).to.deep.equal(behind);
  });

  it("is a bank transfer with links off: worked example 13 of the money chapter", () => {
    const { payload, is } = codePayload(invoice({ public_links: false }));
    expect(is).to.equal("transfer");
    expect(payload.split("\n")).to.deep.equal([
      "BCD",
      "002",
      "1",
      "SCT",
      "",
      "Vela Works B.V.",
      "NL91ABNA0417164300",
      "EUR628.44",
      "",
      "",
      "2026-0031",
    ]);
  });

  it("shows a bank transfer without a logo on it", () => {
    const row = invoice({ public_links: false });
    const view = documentView(row, { ...NO_PICTURES, onCode: "data:image/png;base64,AAAA" });
    const address = view.body.find(({ key }) => key === "payment_qr")?.code?.address ?? "";
    expect(Buffer.from(address.split(",")[1] ?? "", "base64").toString()).not.to.include("<image");
  });
});

describe("the code of a bank transfer", () => {
  const codes = (values: object = {}, layout: object[] = []) =>
    keys(invoice({ template: { layout }, ...values })).filter((key) => key.endsWith("_qr"));

  it("is on every open invoice in euros of a seller with an IBAN, next to the totals", () => {
    expect(codes()).to.deep.equal(["transfer_qr"]);
    const shown = keys(invoice({ template: null }));
    expect(shown[shown.indexOf("totals") - 1]).to.equal("transfer_qr");
    expect(codes({ public_links: false, online: false })).to.deep.equal(["transfer_qr"]);
    for (const values of [
      { currency: "USD" },
      { seller: { name: "Vela Works B.V." } },
      { status: "draft" },
      { status: "paid", outstanding: "0.00" },
      { kind: "credit_note", outstanding: "-10.00" },
    ])
      expect(codes(values), JSON.stringify(values)).to.deep.equal([]);
  });

  it("is absent if the template switches it off, and on what was issued before it existed", () => {
    expect(codes({}, [{ key: "transfer_qr", enabled: false }])).to.deep.equal([]);
    expect(codes({ transfer_code: false })).to.deep.equal([]);
  });

  it("is printed once where the other code is a transfer, too", () => {
    const both = [{ key: "payment_qr", enabled: true }];
    expect(codes({}, both)).to.deep.equal(["payment_qr", "transfer_qr"]);
    expect(codes({ public_links: false }, both)).to.deep.equal(["payment_qr"]);
  });
});

describe("the totals of a document", () => {
  const totals = (values: object) =>
    block(invoice({ total: "1028.44", ...values }), "totals")?.rows?.map(({ label, value }) => [label, value]);

  it("of a credit note show the applied amount", () => {
    expect(
      totals({ kind: "credit_note", total: "-1028.44", applied_total: "1028.44", outstanding: "0.00", tax_groups: [] })?.slice(1),
    ).to.deep.equal([
      ["Totaal", "€ -1.028,44"],
      ["Verrekend", "€ 1.028,44"],
    ]);
  });

  it("name each tax group with its base", () => {
    const group = (values: object) => ({
      name: "",
      rate_pct: "21.00",
      category: "standard",
      base: "10.00",
      tax: "2.10",
      ...values,
    });
    const tax_groups = [
      group({}),
      group({ name: "Btw laag", rate_pct: "9.00" }),
      group({ category: "reverse_charge", tax: "0.00" }),
    ];
    expect(totals({ tax_groups })?.slice(1, 4)).to.deep.equal([
      ["Btw 21% over € 10,00", "€ 2,10"],
      ["Btw laag over € 10,00", "€ 2,10"],
      ["Btw verlegd over € 10,00", "€ 0,00"],
    ]);
  });
});
