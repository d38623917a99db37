import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { query, queryAll } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { decimal } from "../../../../core/values/money.ts";
import type { Customer } from "../../calculation/bill-to.ts";
import { pausesOn } from "../../mails/dunned.ts";
import { seenDocuments } from "../../reports/seen.ts";
import { type Claim, claimOn, type Debt, type Notice } from "../rules/claim.ts";
import { type NextNotice, nextNotice } from "../rules/levels.ts";
import { type Debtor, ratesWith } from "../rules/rates.ts";
import { type DunningValues, READ_DUNNING, USUAL_LEVELS } from "../settings/settings-rows.ts";

/** A notice as stored; `sent_to` is null for one that did not go by mail. */
export type StoredNotice = Notice & { sent_to: string | null; subject: string; text: string };

/** An invoice with all that its claim follows from. */
export interface DunnedInvoice {
  invoice_id: string;
  company_id: string;
  company_name: string;
  number: string;
  kind: "invoice" | "credit_note";
  status: string;
  currency: string;
  locale: string;
  issue_date: IsoDate | null;
  due_date: IsoDate | null;
  total: string;
  credited_total: string;
  outstanding: string;
  dunning_level: number;
  reminders_paused: boolean;
  /** The day of its last reminder. */
  reminded_on: IsoDate | null;
  customer: Partial<Customer>;
  payments: { paid_on: IsoDate; amount: string }[];
  notices: StoredNotice[];
  /** The pause that ends last, of those that hold today. */
  paused: { reason: string; until: IsoDate | null } | null;
}

const NOTICE = `json_build_object('level', n.level, 'sent_on', n.sent_on, 'sent_to', n.sent_to, 'pay_by', n.pay_by,
  'announces_costs', n.announces_costs, 'subject', n.subject, 'text', n.text, 'principal', n.principal::text, 'interest', n.interest::text,
  'interest_parts', n.interest_parts, 'fee', n.fee::text, 'fees', n.fees::text, 'costs', n.costs::text, 'announced', n.announced::text,
  'total', n.total::text)`;

/** `$1` to `$4`: organisation, selection of clients, zone and today. */
const reading = (which: string) =>
  statement(`select t.id as invoice_id, t.company_id, c.name as company_name, coalesce(t.number, '') as number, t.kind, t.status, t.currency,
    t.locale, t.issue_date::text as issue_date, t.due_date::text as due_date, t.total::text as total,
    t.credited_total::text as credited_total, t.outstanding::text as outstanding, t.dunning_level, t.reminders_paused,
    (t.last_reminder_at at time zone $3)::date::text as reminded_on, t.customer,
    (select coalesce(json_agg(json_build_object('paid_on', p.paid_on, 'amount', p.amount::text) order by p.paid_on, p.id), '[]')
      from invoice_payments p where p.organisation_id = t.organisation_id and p.invoice_id = t.id) as payments,
    (select coalesce(json_agg(${NOTICE} order by n.level), '[]')
      from dunning_notices n where n.organisation_id = t.organisation_id and n.invoice_id = t.id) as notices,
    (select json_build_object('reason', z.reason, 'until', z.until) from ${pausesOn("$4")}
      order by z.until desc nulls first, z.id limit 1) as paused
  from invoices t join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id
  where t.organisation_id = $1 and ${seenDocuments("$2")} and ${which}`);

const LATE = "t.status = 'open' and t.kind = 'invoice' and t.outstanding > 0 and t.due_date < $4::date";
const ONE = reading("t.id = $5::uuid");
const ALL = reading(`${LATE} and ($5::uuid is null or t.company_id = $5::uuid) order by t.due_date, t.number, t.id`);

const asked = (today: IsoDate): unknown[] => [
  request().organisation.id,
  request().principal?.selection ?? null,
  organisationZone(),
  today,
];

/** One invoice with the settings of dunning; undefined for one that the caller does not see: client logins see no drafts. */
export async function dunnedInvoice(id: string): Promise<{ invoice: DunnedInvoice | undefined; settings: DunningValues }> {
  const [rows, stored] = await queryAll([ONE, [...asked(organisationToday()), id]], [READ_DUNNING, [request().organisation.id]]);
  const settings = (stored?.[0] as unknown as DunningValues | undefined) ?? { enabled: false, levels: USUAL_LEVELS, rates: [] };
  const invoice = rows?.[0] as unknown as DunnedInvoice | undefined;
  const isHidden = invoice?.status === "draft" && request().principal?.isClientLogin;
  return { invoice: isHidden ? undefined : invoice, settings };
}

/** The invoices that are late on a day and that the caller sees, by due date. */
export const lateInvoices = (today: IsoDate, companyId: string | null): Promise<DunnedInvoice[]> =>
  query<DunnedInvoice & Record<string, unknown>>(ALL, [...asked(today), companyId]);

/** A bill-to party with a VAT or trade register number is a business, any other one a consumer. */
export const debtorOf = ({ vat_number, coc_number }: Partial<Customer>): Debtor =>
  vat_number?.trim() || coc_number?.trim() ? "business" : "consumer";

/** What a claim on an invoice follows from; null for one on which nothing can be claimed. */
export function debtOf({ kind, status, due_date, customer, ...rest }: DunnedInvoice): (Debt & { due_date: IsoDate }) | null {
  if (kind !== "invoice" || due_date === null || (status !== "open" && status !== "paid")) return null;
  return { ...rest, due_date, debtor: debtorOf(customer) };
}

const NOTHING: Claim = {
  ...{ state: "none", days_late: 0, principal: "0.00", interest: "0.00", interest_parts: [], fees: "0.00", costs: "0.00" },
  ...{ costs_from: null, total: "0.00" },
};

/** The claim on an invoice on a day, with the notice that comes next. */
export function claimed(
  invoice: DunnedInvoice,
  { levels, rates }: DunningValues,
  on: IsoDate,
): Claim & { debtor: Debtor; next: NextNotice | null } {
  const debt = debtOf(invoice);
  const claim = debt ? claimOn(debt, on, ratesWith(rates)) : NOTHING;
  const isOpen = invoice.status === "open" && claim.state !== "settled" && debt !== null;
  return { ...claim, debtor: debtorOf(invoice.customer), next: isOpen ? nextOf(invoice, levels) : null };
}

/** The next level of an invoice with something outstanding. */
export function nextOf(invoice: DunnedInvoice, levels: DunningValues["levels"]): NextNotice | null {
  const { due_date, dunning_level: reached, notices, outstanding } = invoice;
  return due_date === null || !decimal(outstanding).greaterThan(0) ? null : nextNotice(levels, { due_date, reached, notices });
}
