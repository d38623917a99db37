import { amountsOf, type StatedLine, type StatedTax } from "./amounts.ts";
import { type InvoicedDocument, precedingNumbers } from "./document-data.ts";
import { accountOf, bicOf, buyerOf, type Party, sellerOf } from "./parties.ts";
import { plainText } from "./plain-text.ts";
import { termsNote } from "./terms-note.ts";
import { type Elements, NORM, xmlOf } from "./xml.ts";

const UNECE = "urn:un:unece:uncefact:data:standard";
const CODES = { invoice: "380", credit_note: "381" } as const;
const CREDIT_TRANSFER = "30";
/** The date format YYYYMMDD of UN/EDIFACT 2379. */
const DATE = "102";

const dateElements = (date: string): Elements => ({
  "udt:DateTimeString": { "@format": DATE, "#": date.replaceAll("-", "") },
});

/**
 * An issued document as a UN/CEFACT Cross Industry Invoice (D16B) per EN 16931, as embedded in PDF files by Factur-X and ZUGFeRD. States
 * the same as `ublOf`, in the standard's other syntax. The document must meet all requirements of the standard.
 * @returns the text of an XML document in UTF-8
 */
export function ciiOf(document: InvoicedDocument): string {
  const amounts = amountsOf(document);
  const note = plainText(document.notes);
  return xmlOf({
    "rsm:CrossIndustryInvoice": {
      "@xmlns:rsm": `${UNECE}:CrossIndustryInvoice:100`,
      "@xmlns:ram": `${UNECE}:ReusableAggregateBusinessInformationEntity:100`,
      "@xmlns:udt": `${UNECE}:UnqualifiedDataType:100`,
      "rsm:ExchangedDocumentContext": { "ram:GuidelineSpecifiedDocumentContextParameter": { "ram:ID": NORM } },
      "rsm:ExchangedDocument": {
        "ram:ID": document.number,
        "ram:TypeCode": CODES[document.kind],
        "ram:IssueDateTime": document.issue_date && dateElements(document.issue_date),
        "ram:IncludedNote": note && { "ram:Content": note },
      },
      "rsm:SupplyChainTradeTransaction": {
        "ram:IncludedSupplyChainTradeLineItem": amounts.lines.map(lineElements),
        "ram:ApplicableHeaderTradeAgreement": {
          "ram:BuyerReference": document.reference?.trim() || document.number,
          "ram:SellerTradeParty": partyElements(sellerOf(document)),
          "ram:BuyerTradeParty": partyElements(buyerOf(document)),
        },
        "ram:ApplicableHeaderTradeDelivery":
          document.delivery_date === null
            ? {}
            : { "ram:ActualDeliverySupplyChainEvent": { "ram:OccurrenceDateTime": dateElements(document.delivery_date) } },
        "ram:ApplicableHeaderTradeSettlement": settlementElements(document, amounts),
      },
    },
  });
}

function settlementElements(document: InvoicedDocument, amounts: ReturnType<typeof amountsOf>): Elements {
  const { number, currency, due_date, seller } = document;
  const account = accountOf(document);
  const bic = bicOf(seller);
  return {
    "ram:PaymentReference": account && number,
    "ram:InvoiceCurrencyCode": currency,
    "ram:SpecifiedTradeSettlementPaymentMeans": account && {
      "ram:TypeCode": CREDIT_TRANSFER,
      "ram:PayeePartyCreditorFinancialAccount": { "ram:IBANID": account, "ram:AccountName": seller.name?.trim() || null },
      "ram:PayeeSpecifiedCreditorFinancialInstitution": bic && { "ram:BICID": bic },
    },
    "ram:ApplicableTradeTax": amounts.taxes.map(taxElements),
    "ram:SpecifiedTradePaymentTerms": due_date && {
      "ram:Description": termsNote(document),
      "ram:DueDateDateTime": dateElements(due_date),
    },
    "ram:SpecifiedTradeSettlementHeaderMonetarySummation": {
      "ram:LineTotalAmount": amounts.subtotal,
      "ram:TaxBasisTotalAmount": amounts.subtotal,
      "ram:TaxTotalAmount": { "@currencyID": currency, "#": amounts.tax_total },
      "ram:GrandTotalAmount": amounts.total,
      "ram:TotalPrepaidAmount": amounts.paid,
      "ram:DuePayableAmount": amounts.payable,
    },
    "ram:InvoiceReferencedDocument": precedingNumbers(document).map((number) => ({ "ram:IssuerAssignedID": number })),
  };
}

const taxElements = ({ base, tax, reason, category, percent }: StatedTax): Elements => ({
  "ram:CalculatedAmount": tax,
  "ram:TypeCode": "VAT",
  "ram:ExemptionReason": reason,
  "ram:BasisAmount": base,
  "ram:CategoryCode": category,
  "ram:RateApplicablePercent": percent.toFixed(),
});

function lineElements({ id, name, unit, quantity, price, base_quantity, net, category, percent }: StatedLine): Elements {
  return {
    "ram:AssociatedDocumentLineDocument": { "ram:LineID": id },
    "ram:SpecifiedTradeProduct": { "ram:Name": name },
    "ram:SpecifiedLineTradeAgreement": {
      "ram:NetPriceProductTradePrice": {
        "ram:ChargeAmount": price,
        "ram:BasisQuantity": base_quantity && { "@unitCode": unit, "#": base_quantity },
      },
    },
    "ram:SpecifiedLineTradeDelivery": { "ram:BilledQuantity": { "@unitCode": unit, "#": quantity } },
    "ram:SpecifiedLineTradeSettlement": {
      "ram:ApplicableTradeTax": {
        "ram:TypeCode": "VAT",
        "ram:CategoryCode": category,
        "ram:RateApplicablePercent": percent.toFixed(),
      },
      "ram:SpecifiedTradeSettlementLineMonetarySummation": { "ram:LineTotalAmount": net },
    },
  };
}

function partyElements(party: Party): Elements {
  const { contact, phone, email } = party;
  return {
    "ram:Name": party.name,
    "ram:SpecifiedLegalOrganization": { "ram:ID": party.coc_number, "ram:TradingBusinessName": party.trade_name },
    "ram:DefinedTradeContact":
      contact === null && phone === null && email === null
        ? null
        : {
            "ram:PersonName": contact,
            "ram:TelephoneUniversalCommunication": phone && { "ram:CompleteNumber": phone },
            "ram:EmailURIUniversalCommunication": email && { "ram:URIID": email },
          },
    "ram:PostalTradeAddress": {
      "ram:PostcodeCode": party.postal_code,
      "ram:LineOne": party.address_line1,
      "ram:LineTwo": party.address_line2,
      "ram:CityName": party.city,
      "ram:CountryID": party.country,
    },
    "ram:SpecifiedTaxRegistration": party.vat_number && { "ram:ID": { "@schemeID": "VA", "#": party.vat_number } },
  };
}
