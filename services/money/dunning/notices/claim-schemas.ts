import { namedValues } from "../../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  decimal,
  email,
  field,
  flag,
  input,
  integer,
  list,
  nullable,
  optional,
  Type,
  uuid,
} from "../../../../core/schema/schema.ts";

const DEBTORS = namedValues("Debtor", ["business", "consumer"]);
const STATES = namedValues("ClaimState", ["none", "open", "settled"]);

const InterestPart = answer("ClaimInterest", {
  from: field(date(), "First day"),
  to: field(date(), "Last day, included"),
  days: Type.Integer({ description: "Number of days" }),
  principal: decimal({ description: "What was open of the invoice on these days" }),
  compounded: decimal({ description: "Interest of whole years before, which bears interest as well" }),
  rate: decimal({ description: "Percent a year" }),
  amount: decimal({ description: "Interest: principal and compounded × rate × days ÷ days of the calendar year" }),
  provisional: field(flag(), "Whether the rate of these days is not known yet: it is the last known one"),
});

const Notice = answer("ClaimNotice", {
  level: integer(1, 4, { description: "Level of the notice" }),
  sent_on: field(date(), "The day on which it was sent, in the organisation's zone"),
  sent_to: nullable(Type.String({ description: "Recipients, separated by a comma; null for one that did not go by mail" })),
  pay_by: field(date(), "The last day to pay that it gave"),
  announces_costs: field(
    flag(),
    "Whether it announced collection costs to a consumer: those are owed once its last day to pay is over",
  ),
  subject: Type.String({ description: "Its subject" }),
  principal: decimal({ description: "What was open of the invoice" }),
  interest: decimal({ description: "Interest that it claimed" }),
  fees: decimal({ description: "Fees of this notice and of those before it" }),
  costs: decimal({ description: "Statutory collection costs that it claimed, beyond the fees" }),
  total: decimal({ description: "What it claimed in total" }),
});

const PAUSED = nullable(
  answer("ClaimPause", {
    reason: Type.String({ description: "Why it is paused" }),
    until: field(nullable(date()), "The last day; null for no end"),
  }),
);

const NEXT = nullable(
  answer("ClaimNext", {
    level: integer(1, 4, { description: "The level of that notice" }),
    on: field(date(), "The first day on which the daily job sends it, if dunning is on and nothing pauses it"),
  }),
);

const claim = {
  invoice_id: field(uuid(), "The invoice"),
  number: Type.String({ description: "Its number; empty for a draft" }),
  company_id: field(uuid(), "Its client"),
  company_name: Type.String({ description: "The client's name" }),
  currency: Type.String({ description: "ISO 4217 code of all amounts" }),
  due_date: field(nullable(date()), "Its due date; null for a draft without one"),
  days_late: Type.Integer({ description: "Days past the due date on that day; 0 until then" }),
  state: field(
    choice(STATES),
    "`none` until it is late, and where nothing was owed; `open` while something of it is open; `settled` afterwards",
  ),
  debtor: field(
    choice(DEBTORS),
    "`business` if the bill-to party has a VAT number or a number in a trade register, else `consumer`",
  ),
  level: integer(0, 4, { description: "The level of dunning reached; 0 before the first notice" }),
  next: field(NEXT, "The notice that comes next; null if none is left"),
  paused: field(PAUSED, "The pause that holds today and ends last; null without one"),
  principal: decimal({ description: "What is open of the invoice" }),
  interest: decimal({ description: "Statutory interest: the sum of its parts" }),
  fees: decimal({ description: "Fees of the notices" }),
  costs: field(nullable(decimal()), "Statutory collection costs beyond the fees; null in another currency than the euro"),
  costs_from: field(
    nullable(date()),
    "The first day on which costs are owed; null for a consumer to whom no notice announced them",
  ),
  total: decimal({ description: "Sum of principal, interest, fees and costs" }),
};

/** What can be claimed on an invoice. */
export const ClaimRead = answer("Claim", {
  on: field(date(), "The day of the claim, included"),
  ...claim,
  interest_parts: field(list(InterestPart), "The interest, a part for each rate, open amount and calendar year"),
  notices: field(list(Notice), "Notices that were sent, by level"),
});

const ListedClaim = answer("ListedClaim", claim);

const ClaimTotal = answer("ClaimTotal", {
  currency: Type.String({ description: "Currency of these amounts" }),
  count: Type.Integer({ description: "Claims in this currency" }),
  principal: decimal({ description: "Sum of what is open" }),
  interest: decimal({ description: "Sum of interest" }),
  fees: decimal({ description: "Sum of fees" }),
  costs: decimal({ description: "Sum of costs" }),
  total: decimal({ description: "Sum of the claims" }),
});

/** The claims on late invoices. */
export const ClaimsRead = answer("Claims", {
  on: field(date(), "Today, in the organisation's zone"),
  total: Type.Integer({ description: "Claims that match" }),
  claims: field(list(ListedClaim), "Claims from `offset` on, the oldest due date first"),
  totals: field(list(ClaimTotal), "Sums of all claims that match, by currency"),
});

export const NoticeSend = input("NoticeSend", {
  to: field(optional(nullable(email())), "Recipient's address; null uses the bill-to party's"),
  email: field(
    optional(flag(true)),
    "False sends no mail and only records that it was sent by other means, with two days for the post",
  ),
});
