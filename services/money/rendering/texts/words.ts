import { languageOf } from "./formats.ts";

const en = {
  invoice: "Invoice",
  proforma_invoice: "Proforma invoice",
  proforma: "Proforma",
  credit_note: "Credit note",
  quote: "Quote",
  draft: "Draft",
  cancelled: "Cancelled",
  page: "Page",
  file: { invoice: "invoice", quote: "quote" },
  seller: {
    phone: "Phone",
    email: "E-mail",
    website: "Website",
    iban: "IBAN",
    bic: "BIC",
    vat_number: "VAT no.",
    coc_number: "Reg. no.",
  } as Record<string, string>,
  bill_to: {
    label: "Bill to",
    quote: "Quote for",
    attn: "Attn.",
    vat_number: "VAT no.",
    coc_number: "Reg. no.",
    email: "E-mail",
  } as Record<string, string>,
  meta: {
    number: "Number",
    issue_date: "Date",
    reference: "Reference",
    due_date: "Due date",
    valid_until: "Valid until",
    payment_terms: "Payment terms",
    client_number: "Client number",
    delivery_date: "Delivery date",
    period: "Period",
    credit_for: "Credits",
  } as Record<string, string>,
  payment_box: { amount: "Amount", iban: "IBAN", account_name: "Account name", description: "Reference" } as Record<
    string,
    string
  >,
  payment_link: { label: "Pay online" } as Record<string, string>,
  code: { link: "Scan to pay online", page: "Scan to open this invoice", transfer: "Scan with your banking app" },
  lines: {
    caption: "Lines",
    description: "Description",
    quantity: "Quantity",
    unit: "Unit",
    unit_price: "Price",
    tax: "VAT",
    amount: "Amount",
  } as Record<string, string>,
  kinds: { hours: "Hours", subscription: "Subscriptions", domain: "Domains", product: "Products and services" },
  section_subtotal: "Subtotal",
  categories: { exempt: "exempt", reverse_charge: "reverse charge" } as Record<string, string>,
  tax_summary: { title: "VAT summary", name: "Rate", base: "Taxable amount", tax: "VAT" },
  totals: {
    subtotal: "Subtotal",
    tax: "VAT",
    over: "of",
    total: "Total",
    paid: "Paid",
    credited: "Credited",
    applied: "Set off",
    to_pay: "To pay",
    refund: "To be paid back",
    overpaid: "Overpaid",
  } as Record<string, string>,
  prices_include_tax: "Prices include VAT.",
  reverse_charge: "VAT reverse charged: the recipient accounts for the VAT.",
  payment: (amount: string, due: string | null, to: string | null, name: string | null, number: string | null) =>
    `Please pay ${amount}${due ? ` by ${due}` : ""}${to ? ` to ${to}${name ? ` in the name of ${name}` : ""}` : ""}${number ? `, quoting ${number}` : ""}`,
  discount: (until: string, percent: string, discount: string, amount: string) =>
    `If you pay by ${until}, you may deduct ${percent} (${discount}) and pay ${amount}`,
  refund: (amount: string) => `You do not have to pay anything. We will pay ${amount} back to you`,
  set_off: (amount: string, source: string | null) =>
    `You do not have to pay anything. ${amount} has been set off against ${source ? `invoice ${source}` : "your invoice"}`,
  gives_back: (amount: string, source: string | null) =>
    `You do not have to pay anything. With this credit note we give ${amount} back${source ? ` on invoice ${source}` : ""}`,
};

const nl: typeof en = {
  invoice: "Factuur",
  proforma_invoice: "Proformafactuur",
  proforma: "Proforma",
  credit_note: "Creditnota",
  quote: "Offerte",
  draft: "Concept",
  cancelled: "Geannuleerd",
  page: "Pagina",
  file: { invoice: "factuur", quote: "offerte" },
  seller: {
    phone: "Telefoon",
    email: "E-mail",
    website: "Website",
    iban: "IBAN",
    bic: "BIC",
    vat_number: "Btw-nr.",
    coc_number: "KvK",
  },
  bill_to: {
    label: "Factuur aan",
    quote: "Offerte voor",
    attn: "T.a.v.",
    vat_number: "Btw-nr.",
    coc_number: "KvK",
    email: "E-mail",
  },
  meta: {
    number: "Nummer",
    issue_date: "Datum",
    reference: "Referentie",
    due_date: "Vervaldatum",
    valid_until: "Geldig tot en met",
    payment_terms: "Betaaltermijn",
    client_number: "Klantnummer",
    delivery_date: "Leverdatum",
    period: "Periode",
    credit_for: "Crediteert",
  },
  payment_box: { amount: "Bedrag", iban: "IBAN", account_name: "Ten name van", description: "Kenmerk" },
  payment_link: { label: "Online betalen" },
  code: { link: "Scan om online te betalen", page: "Scan om deze factuur te openen", transfer: "Scan met uw bankapp" },
  lines: {
    caption: "Regels",
    description: "Omschrijving",
    quantity: "Aantal",
    unit: "Eenheid",
    unit_price: "Prijs",
    tax: "Btw",
    amount: "Bedrag",
  },
  kinds: { hours: "Uren", subscription: "Abonnementen", domain: "Domeinen", product: "Producten en diensten" },
  section_subtotal: "Subtotaal",
  categories: { exempt: "vrijgesteld", reverse_charge: "verlegd" },
  tax_summary: { title: "Btw-overzicht", name: "Tarief", base: "Grondslag", tax: "Btw" },
  totals: {
    subtotal: "Subtotaal",
    tax: "Btw",
    over: "over",
    total: "Totaal",
    paid: "Betaald",
    credited: "Gecrediteerd",
    applied: "Verrekend",
    to_pay: "Te betalen",
    refund: "Terug te ontvangen",
    overpaid: "Te veel betaald",
  },
  prices_include_tax: "Prijzen zijn inclusief btw.",
  reverse_charge: "Btw verlegd: de afnemer draagt de btw af.",
  payment: (amount, due, to, name, number) =>
    `Wij verzoeken u ${amount}${due ? ` uiterlijk ${due}` : ""} over te maken${to ? ` naar ${to}${name ? ` ten name van ${name}` : ""}` : ""}${number ? ` onder vermelding van ${number}` : ""}`,
  discount: (until, percent, discount, amount) =>
    `Betaalt u uiterlijk ${until}, dan mag u ${percent} (${discount}) in mindering brengen en betaalt u ${amount}`,
  refund: (amount) => `U hoeft niets te betalen. Wij betalen ${amount} aan u terug`,
  set_off: (amount, source) =>
    `U hoeft niets te betalen. ${amount} is verrekend met ${source ? `factuur ${source}` : "uw factuur"}`,
  gives_back: (amount, source) =>
    `U hoeft niets te betalen. Met deze creditnota geven wij u ${amount} terug${source ? ` op factuur ${source}` : ""}`,
};

export type Words = typeof en;

/** The words of a document: Dutch for nl, English for every other language (money §14). */
export const documentWords = (locale: string): Words => (languageOf(locale) === "nl" ? nl : en);

/** A template's text by language: the document's, else English, else Dutch, else null. */
export function inLanguage(texts: Readonly<Record<string, string>> | undefined, locale: string): string | null {
  const found = [locale, languageOf(locale), "en", "nl"].map((key) => texts?.[key]?.trim()).find((text) => text);
  return found ?? null;
}
