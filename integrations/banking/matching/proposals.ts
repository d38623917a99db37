import type { IsoDate } from "../../../core/calendar/dates.ts";
import { type DecimalText, decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import type { EntryKind } from "../reading/read-statement.ts";
import { comparedName } from "./names.ts";
import { NumberIndex } from "./numbers.ts";
import type { Proposal, ProposedAllocation, Reason } from "./proposal.ts";

/** An invoice with something outstanding; negative for what is to be paid back. */
export interface OpenInvoice {
  id: string;
  number: string;
  company_id: string;
  company_names: readonly string[];
  /** Decimal text, not zero. */
  outstanding: DecimalText;
  /** What is to be paid instead with its discount for early payment, until that day; null without one. */
  discounted?: DecimalText | null;
  discount_until?: IsoDate | null;
  currency: string;
}

/** An entry with something open. */
export interface OpenEntry {
  /** Decimal text, not zero. */
  open_amount: DecimalText;
  currency: string;
  counter_iban: string | null;
  counter_name: string | null;
  description: string;
  reference: string | null;
  booked_on?: IsoDate;
  kind: EntryKind;
}

/** What each agreement of an entry with an invoice is worth; together they are 100. */
const WORTH = { number: 50, amount: 30, iban: 20, name: 10 } as const;
const MOST_PROPOSALS = 5;
/** Open invoices of a client among which two are looked for that add up. */
const MOST_PAIRED = 40;
/** Invoices with the same amount among which no one is proposed. */
const MOST_ALIKE = 3;

type Payer = "iban" | "name" | null;

const COSTS = /\b(kosten|provisie|bankkosten|transactiekosten|fees?|charges)\b/i;
const INTEREST = /\b(rente|creditrente|debetrente|interest)\b/i;

const magnitude = (amount: DecimalText) => decimal(amount).abs();
const isSameSign = (one: DecimalText, other: DecimalText): boolean => decimal(one).isNegative() === decimal(other).isNegative();

/** What is due of an invoice if the entry takes its discount for early payment; undefined where it has none, or the entry is too late. */
const discountedBy = ({ booked_on }: OpenEntry, { discounted, discount_until }: OpenInvoice): DecimalText | undefined =>
  discounted && discount_until && booked_on !== undefined && booked_on <= discount_until ? discounted : undefined;

/** The invoice as the entry pays it: what is due with its discount deducted, where it has one. */
const withDiscount = (entry: OpenEntry, invoice: OpenInvoice): OpenInvoice => ({
  ...invoice,
  outstanding: discountedBy(entry, invoice) ?? invoice.outstanding,
});

/** Open invoices by what is looked for in entries. They are proposed in their order, the oldest first. */
export class OpenInvoices {
  readonly #numbers: NumberIndex<OpenInvoice>;
  readonly #byCompany: Map<string, OpenInvoice[]>;
  readonly #byAmount: Map<string, OpenInvoice[]>;
  readonly #byName = new Map<string, Set<string>>();
  readonly #payers: ReadonlyMap<string, ReadonlySet<string>>;

  /** @param payers clients by the account from which a confirmed match was paid */
  constructor(invoices: readonly OpenInvoice[], payers: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#numbers = new NumberIndex(invoices.map((invoice) => [invoice.number, invoice] as const));
    this.#byCompany = Map.groupBy(invoices, ({ company_id }) => company_id);
    this.#byAmount = new Map();
    for (const invoice of invoices)
      for (const amount of [invoice.outstanding, invoice.discounted])
        if (amount) {
          const key = `${amount} ${invoice.currency}`;
          this.#byAmount.set(key, [...(this.#byAmount.get(key) ?? []), invoice]);
        }
    this.#payers = payers;
    for (const { company_id, company_names } of invoices)
      for (const name of new Set(company_names.map(comparedName)))
        if (name !== "") this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(company_id));
  }

  /** What an entry probably is, the likeliest first; at most five. */
  proposalsFor(entry: OpenEntry): Proposal[] {
    const found = this.#numbered(entry);
    const proposals = [
      ...this.#byNumber(entry, found),
      ...(found.length === 0 ? this.#byPayer(entry) : []),
      ...otherKinds(entry),
    ];
    if (proposals.length === 0) proposals.push(...this.#byAmountAlone(entry));
    const ordered = proposals.toSorted((one, other) => other.score - one.score).slice(0, MOST_PROPOSALS);
    const isAlone = ordered.length < 2 || (ordered[1] as Proposal).score < (ordered[0] as Proposal).score;
    return ordered.map((proposal, index) => ({ ...proposal, exact: proposal.exact && index === 0 && isAlone }));
  }

  /** The invoices whose numbers are in the entry, in its direction; a short number counts only with its amount. */
  #numbered(entry: OpenEntry): OpenInvoice[] {
    return this.#numbers
      .in(`${entry.description} ${entry.reference ?? ""}`)
      .filter(
        ({ of, isSure }) =>
          isSameSign(of.outstanding, entry.open_amount) &&
          (isSure || of.outstanding === entry.open_amount || discountedBy(entry, of) === entry.open_amount),
      )
      .map(({ of }) => of);
  }

  #payerOf({ counter_iban, counter_name }: OpenEntry, companies: ReadonlySet<string>): Payer {
    const byIban = counter_iban === null ? undefined : this.#payers.get(counter_iban);
    if (byIban && [...companies].every((company) => byIban.has(company))) return "iban";
    const byName = counter_name === null ? undefined : this.#byName.get(comparedName(counter_name));
    return byName && [...companies].every((company) => byName.has(company)) ? "name" : null;
  }

  #byNumber(entry: OpenEntry, found: readonly OpenInvoice[]): Proposal[] {
    const own = found.filter(({ currency }) => currency === entry.currency);
    if (own.length === 0) return found.slice(0, 1).map((invoice) => inOtherCurrency(entry, invoice));
    const companies = new Set(own.map(({ company_id }) => company_id));
    const payer = this.#payerOf(entry, companies);
    const whole = sum(own.map(({ outstanding }) => outstanding)).abs();
    const open = magnitude(entry.open_amount);
    const lessened = own.map((invoice) => withDiscount(entry, invoice));
    const isDiscounted = !whole.equals(open) && sum(lessened.map(({ outstanding }) => outstanding)).equals(open);
    const paid = isDiscounted ? lessened : own;
    const total = isDiscounted ? open : whole;
    const isAmount = total.equals(open);
    const reasons: Reason[] = [own.length === 1 ? "number" : "several_numbers"];
    if (isAmount) reasons.push("amount");
    else reasons.push(total.greaterThan(open) ? "partial" : "overpaid");
    if (isDiscounted) reasons.push("discount");
    if (payer) reasons.push(payer);
    if (companies.size > 1) reasons.push("several_clients");
    const score = WORTH.number + (isAmount ? WORTH.amount : 0) + (payer ? WORTH[payer] : 0);
    const exact = isAmount && payer === "iban" && companies.size === 1;
    return [proposed(score, reasons, allocated(entry, paid), exact)];
  }

  /** The invoices of the client who paid, by its account or else its name, where no number is in the text. */
  #byPayer(entry: OpenEntry): Proposal[] {
    const { counter_iban, counter_name } = entry;
    const byIban = counter_iban === null ? undefined : this.#payers.get(counter_iban);
    const byName = counter_name === null ? undefined : this.#byName.get(comparedName(counter_name));
    const payer = byIban ? "iban" : "name";
    return [...(byIban ?? byName ?? [])].flatMap((company) => {
      const open = (this.#byCompany.get(company) ?? []).filter(
        ({ currency, outstanding }) => currency === entry.currency && isSameSign(outstanding, entry.open_amount),
      );
      return ofClient(entry, open, payer);
    });
  }

  #byAmountAlone(entry: OpenEntry): Proposal[] {
    const alike = (this.#byAmount.get(`${entry.open_amount} ${entry.currency}`) ?? []).filter((invoice) =>
      isAlike(entry, invoice),
    );
    if (alike.length > MOST_ALIKE) return [];
    const isOne = alike.length === 1;
    return alike.map((invoice) =>
      proposed(
        isOne ? WORTH.amount : WORTH.amount - 10,
        [...amountOf(entry, invoice), ...(isOne ? [] : (["ambiguous"] as const))],
        allocated(entry, [asPaid(entry, invoice)]),
      ),
    );
  }
}

/** Whether what is due of an invoice, with or without its discount, is what is open of the entry. */
const isAlike = (entry: OpenEntry, invoice: OpenInvoice): boolean =>
  invoice.outstanding === entry.open_amount || discountedBy(entry, invoice) === entry.open_amount;
/** An alike invoice as the entry pays it, and the reasons for that. */
const asPaid = (entry: OpenEntry, invoice: OpenInvoice): OpenInvoice =>
  invoice.outstanding === entry.open_amount ? invoice : withDiscount(entry, invoice);
const amountOf = (entry: OpenEntry, { outstanding }: OpenInvoice): Reason[] =>
  outstanding === entry.open_amount ? ["amount"] : ["amount", "discount"];

/** The open invoices of one client that the entry may pay. */
function ofClient(entry: OpenEntry, open: readonly OpenInvoice[], payer: "iban" | "name"): Proposal[] {
  const worth = WORTH.amount + WORTH[payer];
  const alike = open.filter((invoice) => isAlike(entry, invoice));
  if (alike.length > 0) {
    const isOne = alike.length === 1;
    return alike.slice(0, MOST_ALIKE).map((invoice) => {
      const reasons: Reason[] = [...amountOf(entry, invoice), payer, ...(isOne ? [] : (["ambiguous"] as const))];
      return proposed(isOne ? worth + 10 : worth - 10, reasons, allocated(entry, [asPaid(entry, invoice)]));
    });
  }
  if (open.length > 1 && sum(open.map(({ outstanding }) => outstanding)).equals(decimal(entry.open_amount)))
    return [proposed(worth, ["all_open", payer], allocated(entry, open))];
  const lessened = open.map((invoice) => withDiscount(entry, invoice));
  if (open.length > 1 && sum(lessened.map(({ outstanding }) => outstanding)).equals(decimal(entry.open_amount)))
    return [proposed(worth, ["all_open", "discount", payer], allocated(entry, lessened))];
  const pairs = pairsOf(open.slice(0, MOST_PAIRED), entry.open_amount);
  if (pairs.length === 1) return [proposed(worth - 10, ["pair", payer], allocated(entry, pairs[0] as OpenInvoice[]))];
  const [oldest] = open;
  const isPart = oldest !== undefined && magnitude(oldest.outstanding).greaterThan(magnitude(entry.open_amount));
  return isPart && payer === "iban" ? [proposed(WORTH.iban, ["partial", "iban"], allocated(entry, [oldest]))] : [];
}

/** The pairs of invoices that add up to an amount. */
const pairsOf = (open: readonly OpenInvoice[], amount: DecimalText): OpenInvoice[][] =>
  open.flatMap((one, index) =>
    open
      .slice(index + 1)
      .filter((other) => decimal(one.outstanding).plus(decimal(other.outstanding)).equals(decimal(amount)))
      .map((other) => [one, other]),
  );

/** Spreads what is open of an entry over invoices in their order, each up to what is outstanding. */
function allocated(entry: OpenEntry, invoices: readonly OpenInvoice[]): ProposedAllocation[] {
  let rest = magnitude(entry.open_amount);
  const isOut = decimal(entry.open_amount).isNegative();
  return invoices.flatMap(({ id, number, outstanding }) => {
    const due = magnitude(outstanding);
    const part = due.lessThan(rest) ? due : rest;
    rest = rest.minus(part);
    if (part.isZero()) return [];
    const amount = formatDecimal(isOut ? part.negated() : part);
    return [{ invoice_id: id, invoice_number: number, amount, invoice_amount: amount }];
  });
}

const proposed = (score: number, reasons: Reason[], allocations: ProposedAllocation[], exact = false): Proposal => ({
  score,
  exact,
  reasons,
  allocations,
  ignore_as: null,
});

/** A payment in another currency than its invoice: the person who confirms it sees whether the rate is right, so it is never exact. */
const inOtherCurrency = (entry: OpenEntry, { id, number, outstanding }: OpenInvoice): Proposal =>
  proposed(
    40,
    ["number", "other_currency"],
    [{ invoice_id: id, invoice_number: number, amount: entry.open_amount, invoice_amount: outstanding }],
  );

/** What an entry is that pays no invoice: by the word of the bank, or for money that goes to no other account by its text. */
function otherKinds({ kind, open_amount, counter_iban, counter_name, description }: OpenEntry): Proposal[] {
  const text = `${counter_name ?? ""} ${description}`;
  const isOwn = counter_iban === null && decimal(open_amount).isNegative();
  const ignore_as =
    kind !== "payment" ? kind : isOwn && COSTS.test(text) ? "bank_costs" : isOwn && INTEREST.test(text) ? "interest" : null;
  if (ignore_as === null) return [];
  return [{ score: kind === "payment" ? 60 : 90, exact: false, reasons: [ignore_as], allocations: [], ignore_as }];
}
