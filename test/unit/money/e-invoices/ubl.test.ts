import { expect } from "chai";
import { mirrored } from "../../../../services/money/calculation/credit.ts";
import { ublOf } from "../../../../services/money/documents/e-invoices/ubl.ts";
import { all, amountsOf, documentOf, line, type Read, ublRead } from "./support.ts";

describe("UBL of an invoice", () => {
  const read = ublRead(documentOf({ reference: "PO 7", notes: "**Dank** u", delivery_date: "2026-02-27" }));

  it("states its kind", () => {
    expect(read["cbc:CustomizationID"]).to.equal("urn:cen.eu:en16931:2017");
    expect(read).to.not.have.property("cbc:ProfileID");
    expect([read["cbc:ID"], read["cbc:IssueDate"], read["cbc:DueDate"]]).to.deep.equal(["2026-0031", "2026-03-02", "2026-03-16"]);
    expect([read["cbc:InvoiceTypeCode"], read["cbc:DocumentCurrencyCode"]]).to.deep.equal(["380", "EUR"]);
    expect([read["cbc:Note"], read["cbc:BuyerReference"]]).to.deep.equal(["Dank u", "PO 7"]);
    expect(read["cac:Delivery"]["cbc:ActualDeliveryDate"]).to.equal("2026-02-27");
  });

  it("names the seller", () => {
    expect(read["cac:AccountingSupplierParty"]["cac:Party"]).to.deep.equal({
      "cac:PartyName": { "cbc:Name": "Vela Works B.V." },
      "cac:PostalAddress": {
        "cbc:StreetName": "Kade 1",
        "cbc:CityName": "Amsterdam",
        "cbc:PostalZone": "1011 AB",
        "cac:Country": { "cbc:IdentificationCode": "NL" },
      },
      "cac:PartyTaxScheme": { "cbc:CompanyID": "NL123456789B01", "cac:TaxScheme": { "cbc:ID": "VAT" } },
      "cac:PartyLegalEntity": { "cbc:RegistrationName": "Vela Works B.V.", "cbc:CompanyID": "12345678" },
      "cac:Contact": {
        "cbc:Name": "Vela Works B.V.",
        "cbc:Telephone": "+31 20 123 45 67",
        "cbc:ElectronicMail": "post@vela.example",
      },
    });
  });

  it("names the buyer by both its names", () => {
    const party = read["cac:AccountingCustomerParty"]["cac:Party"];
    expect(party["cac:PartyName"]["cbc:Name"]).to.equal("Zeilmakerij Oost");
    expect(party["cac:PartyLegalEntity"]["cbc:RegistrationName"]).to.equal("Oost Zeilen B.V.");
    expect(party["cac:Contact"]).to.deep.equal({ "cbc:Name": "Iris de Wit", "cbc:ElectronicMail": "facturen@oost.example" });
  });

  it("asks for a credit transfer where there is an account", () => {
    expect(read["cac:PaymentMeans"]).to.deep.equal({
      "cbc:PaymentMeansCode": "30",
      "cbc:PaymentID": "2026-0031",
      "cac:PayeeFinancialAccount": {
        "cbc:ID": "NL91ABNA0417164300",
        "cbc:Name": "Vela Works B.V.",
        "cac:FinancialInstitutionBranch": { "cbc:ID": "ABNANL2A" },
      },
    });
    const { iban: _, ...seller } = documentOf().seller;
    expect(ublRead(documentOf({ seller }))).to.not.have.property("cac:PaymentMeans");
  });

  it("states the discount for early payment in BT-20, in the form of XRechnung between parties in Germany", () => {
    const terms = { payment_terms: { days: 14, basis: "invoice_date" }, payment_discount: { percent: "2.00", days: 8 } } as const;
    const note = (more: Parameters<typeof documentOf>[0]) => {
      const xml = ublOf(documentOf({ ...terms, ...more }), "en16931");
      return /<cac:PaymentTerms>\s*<cbc:Note>([^<]*)</.exec(xml)?.[1];
    };
    expect(note({})).to.equal("14 dagen, 2% korting bij betaling binnen 8 dagen");
    expect(note({ payment_terms: null })).to.equal("2% korting bij betaling binnen 8 dagen");
    const { seller, customer } = documentOf();
    const german = { seller: { ...seller, country: "DE" }, customer: { ...customer, country: "DE" }, locale: "de" };
    expect(note(german)).to.equal("14 days\n#SKONTO#TAGE=8#PROZENT=2.00#\n");
  });

  it("refers to its number where the buyer has no reference", () => {
    expect(ublRead(documentOf({ reference: "  " }))["cbc:BuyerReference"]).to.equal("2026-0031");
  });

  it("has no element without content", () => {
    const bare = documentOf({
      seller: { name: "A", country: "NL", vat_number: "NL1" },
      customer: { name: "B", country: "DE" },
      due_date: null,
      notes: "  \n",
    });
    expect(ublOf(bare, "en16931")).to.not.match(/<([\w:]+)[^>]*\/>|<([\w:]+)[^>]*>\s*<\/\2>/);
  });

  it("escapes XML markup, and drops invalid characters", () => {
    const text = ublOf(
      documentOf({ lines: [line("1", "2", "21.00", "standard", { description: 'a < b & "c"\u0007\ufffe 🚢' })] }),
      "en16931",
    );
    expect(text).to.include('<cbc:Name>a &lt; b &amp; "c" 🚢</cbc:Name>');
    expect(text).to.match(/^<\?xml version="1\.0" encoding="UTF-8"\?>/);
  });
});

describe("UBL totals", () => {
  it("are those of worked example 14", () => {
    const lines = [line("1", "10.00"), line("1", "10.00"), line("1", "10.00"), line("1", "5.45", "9.00", "reduced")];
    const read = ublRead(documentOf({ lines, prices_include_tax: true, paid_total: "20.00" }));
    expect(amountsOf(read["cac:LegalMonetaryTotal"])).to.deep.equal({
      LineExtensionAmount: "29.79",
      TaxExclusiveAmount: "29.79",
      TaxInclusiveAmount: "35.45",
      PrepaidAmount: "20.00",
      PayableAmount: "15.45",
    });
    expect(all(read["cac:InvoiceLine"]).map((one) => one["cbc:LineExtensionAmount"]["#"])).to.deep.equal([
      "8.27",
      "8.26",
      "8.26",
      "5.00",
    ]);
    expect(all(read["cac:TaxTotal"]["cac:TaxSubtotal"]).map((one) => amountsOf(one)["TaxableAmount"])).to.deep.equal([
      "24.79",
      "5.00",
    ]);
    expect(read["cac:TaxTotal"]["cbc:TaxAmount"]).to.deep.equal({ "@currencyID": "EUR", "#": "5.66" });
  });

  it("have no prepaid amount where nothing was paid", () => {
    expect(ublRead(documentOf())["cac:LegalMonetaryTotal"]).to.not.have.property("cbc:PrepaidAmount");
  });
});

describe("UBL of a credit note", () => {
  const lines = [line("7.50", "84.00"), line("1.00", "-75.00"), line("3.00", "16.65", "9.00", "reduced")].map(mirrored);
  const note = documentOf({ kind: "credit_note", number: "2026-0032", source_number: "2026-0031", lines, paid_total: "-20.00" });
  const read: Read = ublRead(note);

  it("is a CreditNote that names its source", () => {
    expect(ublOf(note, "en16931")).to.include('<CreditNote xmlns="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"');
    expect(read["cbc:CreditNoteTypeCode"]).to.equal("381");
    expect(read).to.not.have.any.keys("cbc:DueDate", "cbc:InvoiceTypeCode", "cac:InvoiceLine");
    expect(read["cac:BillingReference"]["cac:InvoiceDocumentReference"]["cbc:ID"]).to.equal("2026-0031");
    expect(ublRead({ ...note, source_number: null })).to.not.have.property("cac:BillingReference");
  });

  it("reads as positive amounts", () => {
    expect(amountsOf(read["cac:LegalMonetaryTotal"])).to.deep.equal({
      LineExtensionAmount: "604.95",
      TaxExclusiveAmount: "604.95",
      TaxInclusiveAmount: "726.00",
      PrepaidAmount: "20.00",
      PayableAmount: "706.00",
    });
    expect(
      all(read["cac:CreditNoteLine"]).map((one) => [one["cbc:CreditedQuantity"]["#"], one["cac:Price"]["cbc:PriceAmount"]["#"]]),
    ).to.deep.equal([
      ["7.50", "84.00"],
      ["-1.00", "75.00"],
      ["3.00", "16.65"],
    ]);
    expect(read["cac:TaxTotal"]["cbc:TaxAmount"]["#"]).to.equal("121.05");
  });
});

describe("UBL in the Peppol network", () => {
  it("names its process and where both receive", () => {
    const read = ublRead(documentOf(), "peppol");
    expect(read["cbc:CustomizationID"]).to.equal("urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0");
    expect(read["cbc:ProfileID"]).to.equal("urn:fdc:peppol.eu:2017:poacc:billing:01:1.0");
    expect(read["cac:AccountingSupplierParty"]["cac:Party"]["cbc:EndpointID"]).to.deep.equal({
      "@schemeID": "0106",
      "#": "12345678",
    });
    expect(read["cac:AccountingCustomerParty"]["cac:Party"]["cac:PartyLegalEntity"]["cbc:CompanyID"]).to.deep.equal({
      "@schemeID": "0106",
      "#": "87654321",
    });
  });

  it("writes a Swedish registration in digits alone", () => {
    const seller = { ...documentOf().seller, country: "SE", vat_number: "SE556036079301", coc_number: "556036-0793" };
    const legal = (profile: "en16931" | "peppol") =>
      ublRead(documentOf({ seller }), profile)["cac:AccountingSupplierParty"]["cac:Party"]["cac:PartyLegalEntity"][
        "cbc:CompanyID"
      ];
    expect([legal("en16931"), legal("peppol")]).to.deep.equal(["556036-0793", "5560360793"]);
  });
});
