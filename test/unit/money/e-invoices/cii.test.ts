import { expect } from "chai";
import { convert } from "xmlbuilder2";
import { ciiOf } from "../../../../services/money/documents/e-invoices/cii.ts";
import type { InvoicedDocument } from "../../../../services/money/documents/e-invoices/document-data.ts";
import { all, documentOf, line, type Read, ublRead } from "./support.ts";

const ciiRead = (document: InvoicedDocument): Read =>
  (convert(ciiOf(document), { format: "object" }) as Record<string, Read>)["rsm:CrossIndustryInvoice"];
const text = (value: Read): string | undefined => value?.["#"] ?? value;
const day = (value: Read): string | undefined =>
  text(value?.["udt:DateTimeString"])?.replace(/(\d{4})(\d{2})(\d{2})/, "$1-$2-$3");

/** The facts of a document, by the numbers that EN 16931 gives its terms; lines and taxes separately. */
function stated(document: InvoicedDocument): Record<string, unknown> {
  const { "rsm:ExchangedDocument": head, "rsm:SupplyChainTradeTransaction": trade, ...context } = ciiRead(document);
  const agreement = trade["ram:ApplicableHeaderTradeAgreement"];
  const settlement = trade["ram:ApplicableHeaderTradeSettlement"];
  const sums = settlement["ram:SpecifiedTradeSettlementHeaderMonetarySummation"];
  const means = settlement["ram:SpecifiedTradeSettlementPaymentMeans"];
  const delivered = trade["ram:ApplicableHeaderTradeDelivery"]["ram:ActualDeliverySupplyChainEvent"];
  const party = (of: Read) => ({
    name: of["ram:Name"],
    trade_name: of["ram:SpecifiedLegalOrganization"]?.["ram:TradingBusinessName"],
    coc: of["ram:SpecifiedLegalOrganization"]?.["ram:ID"],
    vat: text(of["ram:SpecifiedTaxRegistration"]?.["ram:ID"]),
    contact: of["ram:DefinedTradeContact"]?.["ram:PersonName"],
    phone: of["ram:DefinedTradeContact"]?.["ram:TelephoneUniversalCommunication"]?.["ram:CompleteNumber"],
    email: of["ram:DefinedTradeContact"]?.["ram:EmailURIUniversalCommunication"]?.["ram:URIID"],
    address: ["LineOne", "LineTwo", "CityName", "PostcodeCode", "CountryID"].map(
      (part) => of["ram:PostalTradeAddress"][`ram:${part}`],
    ),
  });
  return {
    norm: context["rsm:ExchangedDocumentContext"]["ram:GuidelineSpecifiedDocumentContextParameter"]["ram:ID"],
    BT1: head["ram:ID"],
    BT2: day(head["ram:IssueDateTime"]),
    BT3: head["ram:TypeCode"],
    BT5: settlement["ram:InvoiceCurrencyCode"],
    BT9: day(settlement["ram:SpecifiedTradePaymentTerms"]?.["ram:DueDateDateTime"]),
    BT20: settlement["ram:SpecifiedTradePaymentTerms"]?.["ram:Description"],
    BT10: agreement["ram:BuyerReference"],
    BT22: head["ram:IncludedNote"]?.["ram:Content"],
    BT25: settlement["ram:InvoiceReferencedDocument"]?.["ram:IssuerAssignedID"],
    seller: party(agreement["ram:SellerTradeParty"]),
    buyer: party(agreement["ram:BuyerTradeParty"]),
    BT72: day(delivered?.["ram:OccurrenceDateTime"]),
    payment: means && [
      means["ram:TypeCode"],
      settlement["ram:PaymentReference"],
      means["ram:PayeePartyCreditorFinancialAccount"]["ram:IBANID"],
      means["ram:PayeePartyCreditorFinancialAccount"]["ram:AccountName"],
      means["ram:PayeeSpecifiedCreditorFinancialInstitution"]?.["ram:BICID"],
    ],
    sums: ["LineTotal", "TaxBasisTotal", "TaxTotal", "GrandTotal", "TotalPrepaid", "DuePayable"].map((sum) =>
      text(sums[`ram:${sum}Amount`]),
    ),
    taxes: all(settlement["ram:ApplicableTradeTax"]).map((tax) =>
      ["BasisAmount", "CalculatedAmount", "CategoryCode", "RateApplicablePercent", "ExemptionReason"].map(
        (part) => tax[`ram:${part}`],
      ),
    ),
    lines: all(trade["ram:IncludedSupplyChainTradeLineItem"]).map((item) => {
      const price = item["ram:SpecifiedLineTradeAgreement"]["ram:NetPriceProductTradePrice"];
      const quantity = item["ram:SpecifiedLineTradeDelivery"]["ram:BilledQuantity"];
      const { "ram:ApplicableTradeTax": tax, "ram:SpecifiedTradeSettlementLineMonetarySummation": sum } =
        item["ram:SpecifiedLineTradeSettlement"];
      return [
        item["ram:AssociatedDocumentLineDocument"]["ram:LineID"],
        item["ram:SpecifiedTradeProduct"]["ram:Name"],
        [text(quantity), quantity["@unitCode"]],
        [price["ram:ChargeAmount"], text(price["ram:BasisQuantity"])],
        sum["ram:LineTotalAmount"],
        [tax["ram:CategoryCode"], tax["ram:RateApplicablePercent"]],
      ];
    }),
  };
}

/** The same of the document's UBL, which the official rules of the norm are run on. */
function statedInUbl(document: InvoicedDocument): Record<string, unknown> {
  const ubl = ublRead(document);
  const isCredit = document.kind === "credit_note";
  const party = ({ "cac:Party": of }: Read) => ({
    name: of["cac:PartyLegalEntity"]["cbc:RegistrationName"],
    trade_name: of["cac:PartyName"]?.["cbc:Name"],
    coc: text(of["cac:PartyLegalEntity"]["cbc:CompanyID"]),
    vat: of["cac:PartyTaxScheme"]?.["cbc:CompanyID"],
    contact: of["cac:Contact"]?.["cbc:Name"],
    phone: of["cac:Contact"]?.["cbc:Telephone"],
    email: of["cac:Contact"]?.["cbc:ElectronicMail"],
    address: [
      ...["StreetName", "AdditionalStreetName", "CityName", "PostalZone"].map((part) => of["cac:PostalAddress"][`cbc:${part}`]),
      of["cac:PostalAddress"]["cac:Country"]["cbc:IdentificationCode"],
    ],
  });
  const means = ubl["cac:PaymentMeans"];
  const account = means?.["cac:PayeeFinancialAccount"];
  const sums = ubl["cac:LegalMonetaryTotal"];
  const rated = (tax: Read) => [tax["cbc:ID"], tax["cbc:Percent"]];
  return {
    norm: ubl["cbc:CustomizationID"],
    BT1: ubl["cbc:ID"],
    BT2: ubl["cbc:IssueDate"],
    BT3: ubl["cbc:InvoiceTypeCode"] ?? ubl["cbc:CreditNoteTypeCode"],
    BT5: ubl["cbc:DocumentCurrencyCode"],
    // A CreditNote of UBL has no place for it.
    BT9: isCredit ? (document.due_date ?? undefined) : ubl["cbc:DueDate"],
    BT20: ubl["cac:PaymentTerms"]?.["cbc:Note"],
    BT10: ubl["cbc:BuyerReference"],
    BT22: ubl["cbc:Note"],
    BT25: ubl["cac:BillingReference"]?.["cac:InvoiceDocumentReference"]["cbc:ID"],
    seller: party(ubl["cac:AccountingSupplierParty"]),
    buyer: party(ubl["cac:AccountingCustomerParty"]),
    BT72: ubl["cac:Delivery"]?.["cbc:ActualDeliveryDate"],
    payment: means && [
      text(means["cbc:PaymentMeansCode"]),
      means["cbc:PaymentID"],
      account["cbc:ID"],
      account["cbc:Name"],
      account["cac:FinancialInstitutionBranch"]?.["cbc:ID"],
    ],
    sums: [
      text(sums["cbc:LineExtensionAmount"]),
      text(sums["cbc:TaxExclusiveAmount"]),
      text(ubl["cac:TaxTotal"]["cbc:TaxAmount"]),
      ...["TaxInclusive", "Prepaid", "Payable"].map((sum) => text(sums[`cbc:${sum}Amount`])),
    ],
    taxes: all(ubl["cac:TaxTotal"]["cac:TaxSubtotal"]).map(({ "cac:TaxCategory": tax, ...amounts }) => [
      text(amounts["cbc:TaxableAmount"]),
      text(amounts["cbc:TaxAmount"]),
      ...rated(tax),
      tax["cbc:TaxExemptionReason"],
    ]),
    lines: all(ubl["cac:InvoiceLine"] ?? ubl["cac:CreditNoteLine"]).map((item) => {
      const quantity = item["cbc:InvoicedQuantity"] ?? item["cbc:CreditedQuantity"];
      return [
        item["cbc:ID"],
        item["cac:Item"]["cbc:Name"],
        [text(quantity), quantity["@unitCode"]],
        [text(item["cac:Price"]["cbc:PriceAmount"]), text(item["cac:Price"]["cbc:BaseQuantity"])],
        text(item["cbc:LineExtensionAmount"]),
        rated(item["cac:Item"]["cac:ClassifiedTaxCategory"]),
      ];
    }),
  };
}

const DOCUMENTS: Record<string, InvoicedDocument> = {
  "of one line": documentOf(),
  "of several rates with a discount, notes and a delivery (worked example 1)": documentOf({
    reference: " PO & 7 ",
    notes: "Pay **soon** <b>please</b> & thanks",
    delivery_date: "2026-03-01",
    paid_total: "400.00",
    lines: [line("7.5", "84.00", "21.00", "standard", { unit: "uur" }), line("1", "249.95"), line("1", "-75.00"), line("3", "16.65", "9.00", "reduced")],
  }),
  "that bears no tax (worked example 4)": documentOf({
    lines: [line("1", "1450.00", "21.00", "reverse_charge"), line("2", "80.00", "0.00", "exempt"), line("4", "62.50"), line("1", "5.00", "0.00", "zero")],
  }),
  "that is a credit note": documentOf({
    kind: "credit_note",
    source_number: "2026-0030",
    lines: [line("7.5", "-84.00"), line("3", "-16.65", "9.00", "reduced")],
  }),
  "whose prices need a base quantity": documentOf({
    prices_include_tax: true,
    lines: [line("3", "9.99"), line("0", "5.00"), line("-7", "100.01", "9.00", "reduced")],
  }),
  "to a buyer of few words, without an account": documentOf({
    seller: { name: "Vela", country: "NL", vat_number: "NL123456789B01" },
    customer: { name: "Oost", country: "BE" },
  }),
}; // biome-ignore format: a line each

describe("a Cross Industry Invoice", () => {
  for (const [what, document] of Object.entries(DOCUMENTS))
    it(`states the same as the UBL, of a document ${what}`, () => {
      expect(stated(document)).to.deep.equal(statedInUbl(document));
    });

  it("has the amounts of worked example 14", () => {
    const { sums, lines, taxes } = stated(
      documentOf({
        prices_include_tax: true,
        paid_total: "20.00",
        lines: [line("1", "10.00"), line("1", "10.00"), line("1", "10.00"), line("1", "5.45", "9.00", "reduced")],
      }),
    ) as { sums: string[]; lines: string[][]; taxes: string[][] };
    expect(sums).to.deep.equal(["29.79", "29.79", "5.66", "35.45", "20.00", "15.45"]);
    expect(lines.map((one) => one[4])).to.deep.equal(["8.27", "8.26", "8.26", "5.00"]);
    expect(taxes.map(([base, tax]) => [base, tax])).to.deep.equal([
      ["24.79", "5.21"],
      ["5.00", "0.45"],
    ]);
  });

  it("has no element without content but the delivery, which the schema demands, and escapes what XML would read", () => {
    const xml = ciiOf(documentOf({ reference: "<PO> & 7" }));
    const empty = [...xml.matchAll(/<([^/?\s>]+)[^>]*\/>|<([^/?\s>]+)[^>]*><\//g)].map(([, one, other]) => one ?? other);
    expect(empty).to.deep.equal(["ram:ApplicableHeaderTradeDelivery"]);
    expect(xml).to.include("<ram:BuyerReference>&lt;PO&gt; &amp; 7</ram:BuyerReference>");
  });
});
