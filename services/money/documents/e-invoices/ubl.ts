import { amountsOf, type StatedLine } from "./amounts.ts";
import type { RatedCategory } from "./categories.ts";
import { type InvoicedDocument, type Profile, precedingNumbers } from "./document-data.ts";
import { accountOf, bicOf, buyerOf, type Party, sellerOf } from "./parties.ts";
import { plainText } from "./plain-text.ts";
import { termsNote } from "./terms-note.ts";
import { type Elements, NORM, xmlOf } from "./xml.ts";

const CUSTOMIZATION: Record<Profile, string> = {
  en16931: NORM,
  peppol: `${NORM}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`,
};
const PEPPOL_PROCESS = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0";
const CREDIT_TRANSFER = "30";
/** The register scheme that Dutch parties must use in the Peppol network. */
const CHAMBER_OF_COMMERCE = "0106";
const VAT = { "cac:TaxScheme": { "cbc:ID": "VAT" } };

/** The differences between the two UBL documents. */
const SHAPES = {
  invoice: { root: "Invoice", code: "380", line: "InvoiceLine", quantity: "InvoicedQuantity" },
  credit_note: { root: "CreditNote", code: "381", line: "CreditNoteLine", quantity: "CreditedQuantity" },
} as const;

/**
 * An issued document as UBL 2.1 (money §15): an Invoice, or a CreditNote with reversed signs, so that credits are positive amounts. The
 * document must meet the requirements of its profile: `missingFields` of requirements.ts.
 * @returns the text of an XML document in UTF-8
 */
export function ublOf(document: InvoicedDocument, profile: Profile): string {
  const shape = SHAPES[document.kind];
  const isCredit = document.kind === "credit_note";
  const account = accountOf(document);
  const terms = termsNote(document);
  const content: Elements = {
    "cbc:CustomizationID": CUSTOMIZATION[profile],
    "cbc:ProfileID": profile === "peppol" ? PEPPOL_PROCESS : null,
    "cbc:ID": document.number,
    "cbc:IssueDate": document.issue_date,
    "cbc:DueDate": isCredit ? null : document.due_date,
    [`cbc:${shape.root}TypeCode`]: shape.code,
    "cbc:Note": plainText(document.notes),
    "cbc:DocumentCurrencyCode": document.currency,
    "cbc:BuyerReference": document.reference?.trim() || document.number,
    "cac:BillingReference": precedingNumbers(document).map((number) => ({
      "cac:InvoiceDocumentReference": { "cbc:ID": number },
    })),
    "cac:AccountingSupplierParty": { "cac:Party": partyElements(sellerOf(document), profile) },
    "cac:AccountingCustomerParty": { "cac:Party": partyElements(buyerOf(document), profile) },
    "cac:Delivery": document.delivery_date === null ? null : { "cbc:ActualDeliveryDate": document.delivery_date },
    "cac:PaymentMeans": account === null ? null : paymentElements(document, account),
    "cac:PaymentTerms": terms === null ? null : { "cbc:Note": terms },
    ...amountElements(document),
  };
  const root = {
    [shape.root]: {
      "@xmlns": `urn:oasis:names:specification:ubl:schema:xsd:${shape.root}-2`,
      "@xmlns:cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
      "@xmlns:cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
      ...content,
    },
  };
  return xmlOf(root);
}

/** A register number; Peppol requires Dutch ones with their scheme, and Swedish ones as digits only. */
function registration(country: string | null, number: string, profile: Profile): Elements | string {
  if (profile === "peppol" && country === "NL") return withScheme(CHAMBER_OF_COMMERCE, number);
  return profile === "peppol" && country === "SE" ? number.replace(/\D/g, "") : number;
}

const withScheme = (scheme: string, text: string): Elements => ({ "@schemeID": scheme, "#": text });

function partyElements(party: Party, profile: Profile): Elements {
  return {
    "cbc:EndpointID": profile === "peppol" && party.address ? withScheme(party.address.scheme, party.address.id) : null,
    "cac:PartyName": { "cbc:Name": party.trade_name },
    "cac:PostalAddress": {
      "cbc:StreetName": party.address_line1,
      "cbc:AdditionalStreetName": party.address_line2,
      "cbc:CityName": party.city,
      "cbc:PostalZone": party.postal_code,
      "cac:Country": { "cbc:IdentificationCode": party.country },
    },
    "cac:PartyTaxScheme": party.vat_number === null ? null : { "cbc:CompanyID": party.vat_number, ...VAT },
    "cac:PartyLegalEntity": {
      "cbc:RegistrationName": party.name,
      "cbc:CompanyID": party.coc_number && registration(party.country, party.coc_number, profile),
    },
    "cac:Contact":
      party.phone === null && party.email === null && party.contact === null
        ? null
        : { "cbc:Name": party.contact, "cbc:Telephone": party.phone, "cbc:ElectronicMail": party.email },
  };
}

function paymentElements({ number, seller }: InvoicedDocument, account: string): Elements {
  const bic = bicOf(seller);
  return {
    "cbc:PaymentMeansCode": CREDIT_TRANSFER,
    "cbc:PaymentID": number,
    "cac:PayeeFinancialAccount": {
      "cbc:ID": account,
      "cbc:Name": seller.name?.trim() || null,
      "cac:FinancialInstitutionBranch": bic && { "cbc:ID": bic },
    },
  };
}

function amountElements(document: InvoicedDocument): Elements {
  const amount = (value: string): Elements => ({ "@currencyID": document.currency, "#": value });
  const { lines, taxes, subtotal, tax_total, total, paid, payable } = amountsOf(document);
  return {
    "cac:TaxTotal": {
      "cbc:TaxAmount": amount(tax_total),
      "cac:TaxSubtotal": taxes.map(({ base, tax, reason, ...rated }) => ({
        "cbc:TaxableAmount": amount(base),
        "cbc:TaxAmount": amount(tax),
        "cac:TaxCategory": categoryElements(rated, reason),
      })),
    },
    "cac:LegalMonetaryTotal": {
      "cbc:LineExtensionAmount": amount(subtotal),
      "cbc:TaxExclusiveAmount": amount(subtotal),
      "cbc:TaxInclusiveAmount": amount(total),
      "cbc:PrepaidAmount": paid && amount(paid),
      "cbc:PayableAmount": amount(payable),
    },
    [`cac:${SHAPES[document.kind].line}`]: lines.map((line) => lineElements(line, document)),
  };
}

function categoryElements({ category, percent }: RatedCategory, reason: string | null): Elements {
  return { "cbc:ID": category, "cbc:Percent": percent.toFixed(), "cbc:TaxExemptionReason": reason, ...VAT };
}

function lineElements(line: StatedLine, { kind, currency }: InvoicedDocument): Elements {
  const unit = { "@unitCode": line.unit };
  return {
    "cbc:ID": line.id,
    [`cbc:${SHAPES[kind].quantity}`]: { ...unit, "#": line.quantity },
    "cbc:LineExtensionAmount": { "@currencyID": currency, "#": line.net },
    "cac:Item": { "cbc:Name": line.name, "cac:ClassifiedTaxCategory": categoryElements(line, null) },
    "cac:Price": {
      "cbc:PriceAmount": { "@currencyID": currency, "#": line.price },
      "cbc:BaseQuantity": line.base_quantity && { ...unit, "#": line.base_quantity },
    },
  };
}
