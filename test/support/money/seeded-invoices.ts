import { formatRounded } from "../../../core/values/currencies.ts";
import { type DecimalText, decimal, formatDecimal, fromCents } from "../../../core/values/money.ts";
import { mirrored } from "../../../services/money/calculation/credit.ts";
import type { TaxCategory } from "../../../services/money/calculation/groups.ts";
import type { SellerDetails } from "../../../services/money/calculation/seller.ts";
import type { PaymentTerms } from "../../../services/money/calculation/terms.ts";
import { lineAmount, totalsOf } from "../../../services/money/calculation/totals.ts";
import type { InvoicedDocument, InvoicedLine } from "../../../services/money/documents/e-invoices/document-data.ts";

/** Seeded random numbers: the same documents on every machine (mulberry32). */
function seeded(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (from: number, to: number) => from + below(to - from + 1),
    one: <T>(values: readonly T[]): T => values[below(values.length)] as T,
    chance: (part: number) => next() < part,
  };
}
type Random = ReturnType<typeof seeded>;

/** Parties with numbers in the format of their registers. */
const SELLERS: readonly SellerDetails[] = [
  { name: "Vela Works B.V.", address_line1: "Kade 1", postal_code: "1011 AB", city: "Amsterdam", country: "NL", vat_number: "NL123456789B01", coc_number: "12345678", iban: "NL91 ABNA 0417 1643 00", bic: "ABNANL2A", email: "post@vela.example", phone: "+31 20 123 45 67" },
  { name: "Café Ñandú & <Fils>", address_line1: "Rue du Marché 3", address_line2: "Bte 4", postal_code: "1000", city: "Bruxelles", country: "be", vat_number: "0403.170.701", coc_number: "0403.170.701", iban: "BE68539007547034" },
  { name: "Werkstatt GmbH", address_line1: "Hauptstraße 5", postal_code: "10115", city: "Berlin", country: "DE", vat_number: "DE 123456789", iban: "DE89370400440532013000", email: "post@werkstatt.example", phone: "+49 30 123456" },
  { name: "Atelier SARL", postal_code: "75001", city: "Paris", country: "FR", vat_number: "FR40303265045", email: "bonjour@atelier.example" },
  { name: "Studio S.r.l.", address_line1: "Via Roma 1", postal_code: "00100", city: "Roma", country: "IT", vat_number: "IT07643520567", iban: "IT60X0542811101000000123456" },
  { name: "Bergwerk AG", country: "CH", vat_number: "CHE-116.281.710 MWST" },
  { name: "Sjö & Co AB", address_line1: "Storgatan 1", postal_code: "111 22", city: "Stockholm", country: "SE", vat_number: "SE556036079301", coc_number: "556036-0793" },
]; // biome-ignore format: a table

const CUSTOMERS: readonly InvoicedDocument["customer"][] = [
  { name: "Oost Zeilen B.V.", trade_name: "Zeilmakerij Oost", address_line1: "Dijk 12a", postal_code: "3011 AA", city: "Rotterdam", country: "NL", vat_number: "NL001234567B01", coc_number: "87654321", email: "facturen@oost.example", attn: "Iris de Wit" },
  { name: "Müller & Söhne KG", trade_name: "Müller & Söhne KG", postal_code: "80331", city: "München", country: "DE", vat_number: "DE987654321" },
  { name: "Ets \"Dupont\" <Lyon>", trade_name: "Dupont", address_line1: "3 quai", postal_code: "69001", city: "Lyon", country: "FR", vat_number: "FR83404833048", email: "compta@dupont.example" },
  { name: "Ελληνική Εταιρεία", trade_name: "", city: "Αθήνα", country: "GR", vat_number: "EL094259216", coc_number: "" },
  { name: "Brugge Textiel NV", trade_name: "Brugge Textiel", postal_code: "8000", city: "Brugge", country: "BE", vat_number: "BE0403170701" },
]; // biome-ignore format: a table

const RATES: readonly (readonly [pct: string, category: TaxCategory, name: string])[] = [
  ["21.00", "standard", "Btw 21%"],
  ["9.00", "reduced", "Btw 9%"],
  ["5.50", "reduced", "TVA 5,5 %"],
  ["0.00", "zero", "Btw 0%"],
  ["0.00", "standard", ""],
  ["0.00", "exempt", "Vrijgesteld"],
  ["0.00", "exempt", ""],
  ["21.00", "reverse_charge", "Btw verlegd"],
  ["0.00", "reverse_charge", "Reverse charge"],
  ["20.00", "standard", "VAT 20%"],
  ["20.00", "reduced", "Reduced 20%"],
  ["2.10", "reduced", "TVA 2,1 %"],
];
const TERMS: readonly PaymentTerms[] = [
  { days: 14, basis: "invoice_date" },
  { days: 30, basis: "end_of_month" },
  { days: 15, basis: "day_of_next_month" },
];
const UNITS = [null, "uur", "Hours", "stuk", "std.", "maand"];
const WORDS = ["Ontwerp", "Design & build", "Réunion <Paris>", "Wartung", "Hosting \"plus\"", "Übersetzung", "émoji 🚢", "Строка"]; // biome-ignore format: a row

function anyLine(random: Random, currency: string): InvoicedLine {
  const [tax_rate_pct, tax_category, tax_name] = random.one(RATES);
  const isDiscount = random.chance(0.1);
  const quantity = random.one([
    fromCents(random.one([100, 100, 300, 700, 25, 1, 142, random.between(1, 99_999), -random.between(1, 5000), 0])),
    formatDecimal(decimal(random.between(1, 999_999)).dividedBy(10_000), 4),
  ]);
  const unit_price = isDiscount
    ? fromCents(-random.between(1, 9_999))
    : random.one([
        fromCents(random.one([random.between(0, 30_000), random.between(0, 99), 333])),
        formatDecimal(decimal(random.between(0, 99_999)).dividedBy(10_000), 4),
      ]);
  return {
    description: random.one(WORDS),
    quantity,
    unit: random.one(UNITS),
    unit_price,
    amount: lineAmount(quantity, unit_price, currency),
    tax_rate_pct,
    tax_category,
    tax_name,
  };
}

/** The paid amount of a document: nothing, half or all. */
function anyPayment(random: Random, total: DecimalText, currency: string): DecimalText {
  const part = random.one([0, 0, 0.5, 1]);
  return formatRounded(decimal(total).times(part), currency);
}

/**
 * Plausible issued documents: every category, prices with and without tax, discounts, credits, part payments, other currencies, 1 to 200
 * lines. The same seed gives the same documents.
 */
export function seededInvoices(count: number, seed = 20_260_302): InvoicedDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const random = seeded(seed + index);
    const size = random.one([1, 1, 2, 3, 5, 8, 13, 40, 200]);
    const currency = random.one(["EUR", "EUR", "EUR", "USD", "GBP", "JPY"]);
    const billed = Array.from({ length: size }, () => anyLine(random, currency));
    const isCredit = random.chance(0.25);
    const lines = isCredit ? billed.map(mirrored) : billed;
    const prices_include_tax = random.chance(0.4);
    const number = `${random.between(2024, 2027)}-${String(index + 1).padStart(4, "0")}`;
    return {
      kind: isCredit ? "credit_note" : "invoice",
      number,
      issue_date: "2026-03-02",
      payment_terms: TERMS[index % TERMS.length] ?? null,
      payment_discount: index % 5 === 1 ? { percent: "2.50", days: index % 31 } : null,
      locale: index % 2 === 0 ? "nl" : "en",
      due_date: random.chance(0.9) ? "2026-03-16" : null,
      delivery_date: random.chance(0.2) ? "2026-02-27" : null,
      currency,
      reference: random.chance(0.5) ? `PO <${index}> & co` : null,
      notes: random.chance(0.3)
        ? "# Dank\n\n**Graag** betalen via [deze pagina](https://vela.example/?a=1&b=2).\n\n- één\n- twee"
        : null,
      prices_include_tax,
      paid_total: anyPayment(random, totalsOf(lines, { prices_include_tax, currency }).total, currency),
      source_number: isCredit ? `${number}-source` : null,
      customer: random.one(CUSTOMERS),
      seller: random.one(SELLERS),
      lines,
    };
  });
}
