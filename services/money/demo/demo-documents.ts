import { addDays, type IsoDate, yearOf } from "../../../core/calendar/calendar.ts";
import { newId } from "../../../core/database/model.ts";
import { decimal, formatAmount, formatDecimal } from "../../../core/values/money.ts";
import { type BilledClient, customerOf } from "../calculation/bill-to.ts";
import { mirrored } from "../calculation/credit.ts";
import { renderNumber } from "../calculation/numbering.ts";
import { dueDate, type PaymentTerms } from "../calculation/terms.ts";
import { lineAmount, totalsOf } from "../calculation/totals.ts";
import { mintToken } from "../documents/links.ts";
import type { FrozenTax } from "../settings/tax-rates.ts";
import { DEMO_ITEMS, DEMO_QUOTES } from "./demo-catalogue.ts";
import type { DemoRows } from "./demo-rows.ts";

/** Number of invoices, days between two, and how many of the newest are drafts. */
const INVOICES = 60;
const STEP = 6;
const DRAFTS = 4;
/** Days until an invoice is due, and days that a quote is valid. */
const DUE = 14;
const VALID = 30;
const QUOTE_STEP = 12;

export type DemoClient = BilledClient & { id: string };

/** The input of the demo documents. */
export interface DemoPaper {
  rows: DemoRows;
  /** The next id of a kind of record (`demoIds`). */
  ids: (kind: string) => string;
  clients: readonly DemoClient[];
  /** Frozen tax by percentage. */
  taxes: Readonly<Record<string, FrozenTax>>;
  today: IsoDate;
}

/** The last number of a sequence, and its year. */
export interface LastNumber {
  seq: number;
  year: number;
}

/** An invoice that a quote can refer to. */
export interface MadeInvoice {
  id: string;
  number: string | null;
  day: IsoDate;
  client: DemoClient;
  lines: readonly Line[];
  isPaid: boolean;
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const CURRENCY = "EUR";

const stamp = (day: IsoDate): string => `${day}T10:00:00Z`;

type Line = ReturnType<typeof lineOf>;

/** The next number; restarts at 1 each year. */
function after({ seq, year }: LastNumber, day: IsoDate): LastNumber {
  return yearOf(day) === year ? { seq: seq + 1, year } : { seq: 1, year: yearOf(day) };
}

function lineOf({ taxes }: DemoPaper, n: number, part: number) {
  const { name, unit, price, rate, kind } = at(DEMO_ITEMS, n * 2 + part);
  const tax = taxes[rate];
  if (!tax) throw new Error(`the seeded catalogue has no rate of ${rate}`);
  const quantity = formatAmount(kind === "hours" ? 1.5 + ((n * 5 + part * 3) % 17) / 2 : 1 + ((n + part) % 4));
  return {
    description: name,
    line_kind: kind,
    quantity,
    unit,
    unit_price: price,
    amount: lineAmount(quantity, price, CURRENCY),
    ...tax,
  };
}

/** One to four lines; every seventh document ends with a discount. */
function linesOf(paper: DemoPaper, n: number): Line[] {
  const lines = Array.from({ length: 1 + (n % 4) }, (_, part) => lineOf(paper, n, part));
  const [first] = lines;
  if (!first || n % 7 !== 3) return lines;
  const price = "-25.00";
  const discount = { ...first, description: "Korting", line_kind: "product" as const, quantity: "1.00", unit_price: price };
  return [...lines, { ...discount, amount: lineAmount("1.00", price, CURRENCY) }];
}

function addLines({ rows }: DemoPaper, of: { invoice_id: string | null; quote_id: string | null }, lines: readonly Line[]): void {
  for (const [position, line] of lines.entries()) rows.document_lines.push({ id: newId(), ...of, position, ...line });
}

type State = "draft" | "open" | "late" | "part" | "paid" | "cancelled" | "credited" | "credit" | "refund";

/** The state of the nth invoice, the oldest first. A credit note follows the invoice it credits. */
function stateOf(n: number): State {
  if (n >= INVOICES - DRAFTS) return "draft";
  const special: Record<number, State> = {
    7: "cancelled",
    11: "credited",
    12: "credit",
    20: "part",
    29: "cancelled",
    33: "refund",
    41: "part",
    45: "late",
    47: "late",
    49: "late",
  };
  return special[n] ?? (n >= INVOICES - DRAFTS - 3 ? "open" : "paid");
}

const STATUS: Record<State, "draft" | "open" | "paid" | "cancelled"> = {
  draft: "draft",
  open: "open",
  late: "open",
  part: "open",
  paid: "paid",
  cancelled: "cancelled",
  credited: "open",
  credit: "paid",
  refund: "open",
};

/** The fields that a client's documents share: language, currency, bill-to party and totals. */
function common(client: DemoClient, lines: readonly Line[], made: IsoDate) {
  return {
    company_id: client.id,
    currency: CURRENCY,
    locale: "nl",
    customer: customerOf(client, null),
    ...totalsOf(lines, { prices_include_tax: false, currency: CURRENCY }),
    created_at: stamp(made),
    updated_at: stamp(made),
  };
}

/** Adds the 60 invoices and credit notes, with their payments, oldest first. */
export function addInvoices(paper: DemoPaper): { invoices: MadeInvoice[]; last: LastNumber } {
  const { rows, ids, clients, today } = paper;
  const invoices: MadeInvoice[] = [];
  let last: LastNumber = { seq: 0, year: 0 };
  for (let n = 0; n < INVOICES; n++) {
    const state = stateOf(n);
    const source = state === "credit" || state === "refund" ? invoices[n - 1] : undefined;
    const client = source?.client ?? at(clients, n * 7);
    const lines = source ? credited(source.lines, state) : linesOf(paper, n);
    const day = addDays(today, -2 - (INVOICES - 1 - n) * STEP);
    const terms: PaymentTerms = { days: state === "open" ? DUE * 3 : DUE, basis: "invoice_date" };
    const document = common(client, lines, day);
    const { total } = document;
    const isIssued = state !== "draft";
    if (isIssued) last = after(last, day);
    const number = isIssued ? renderNumber("{year}-{seq:4}", last.year, last.seq) : null;
    const paid = state === "paid" ? total : state === "part" ? formatAmount(decimal(total).dividedBy(3)) : "0.00";
    const paidOn = addDays(day, 3 + (n % 15));
    const id = ids("invoicing/invoices");
    rows.invoices.push({
      id,
      ...document,
      number,
      reference: source ? source.number : n % 3 === 0 ? `Opdracht ${1200 + n}` : null,
      kind: source ? "credit_note" : "invoice",
      status: STATUS[state],
      issue_date: isIssued ? day : null,
      due_date: isIssued ? dueDate(day, terms) : null,
      payment_terms: isIssued ? terms : null,
      delivery_date: null,
      paid_total: paid,
      credited_total: state === "credited" ? total : "0.00",
      applied_total: state === "credit" ? formatDecimal(decimal(total).negated()) : "0.00",
      credit_for_id: source?.id ?? null,
      sent_at: isIssued ? stamp(day) : null,
      paid_at: STATUS[state] === "paid" ? stamp(state === "credit" ? day : paidOn) : null,
      cancelled_at: state === "cancelled" ? stamp(addDays(day, 1)) : null,
      public_token: isIssued ? mintToken() : null,
      prices_include_tax: false,
    });
    addLines(paper, { invoice_id: id, quote_id: null }, lines);
    if (paid !== "0.00")
      rows.invoice_payments.push({
        id: ids("invoicing/invoices/payments"),
        invoice_id: id,
        paid_on: paidOn,
        amount: paid,
        method: at(["bank", "bank", "bank", "card", "cash"], n),
        created_at: stamp(paidOn),
      });
    invoices.push({ id, number, day, client, lines, isPaid: state === "paid" });
  }
  return { invoices, last };
}

/** The lines of a credit note: the whole invoice negated, or only its first line. */
const credited = (lines: readonly Line[], state: State): Line[] =>
  (state === "credit" ? lines : lines.slice(0, 1)).map((line) => mirrored(line));

/** Adds quotes in every state, oldest first; an invoiced quote matches its invoice. */
export function addQuotes(paper: DemoPaper, invoices: readonly MadeInvoice[]): LastNumber {
  const { rows, ids, clients, today } = paper;
  let last: LastNumber = { seq: 0, year: 0 };
  for (const [n, status] of DEMO_QUOTES.entries()) {
    const id = ids("invoicing/quotes");
    const day = addDays(today, -5 - (DEMO_QUOTES.length - 1 - n) * QUOTE_STEP);
    const invoice = status === "invoiced" ? invoices.find((one) => one.isPaid && one.day > addDays(day, 8)) : undefined;
    const client = invoice?.client ?? at(clients, n * 3 + 1);
    const lines = invoice?.lines ?? linesOf(paper, n + 100);
    const isIssued = status !== "draft";
    if (isIssued) last = after(last, day);
    const isDecided = ["accepted", "rejected", "invoiced"].includes(status);
    rows.quotes.push({
      id,
      ...common(client, lines, day),
      number: isIssued ? renderNumber("Q{year}-{seq:4}", last.year, last.seq) : null,
      reference: null,
      status,
      issue_date: isIssued ? day : null,
      valid_until: isIssued ? addDays(day, status === "open" ? VALID * 2 : VALID) : null,
      sent_at: isIssued ? stamp(day) : null,
      decided_at: isDecided ? stamp(addDays(day, 4)) : null,
      decision_note: status === "rejected" ? "Wij kiezen dit jaar voor een andere aanpak." : null,
      invoice_id: invoice?.id ?? null,
      prices_include_tax: false,
    });
    addLines(paper, { invoice_id: null, quote_id: id }, lines);
  }
  return last;
}
