import type { ErrorTexts } from "../../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const invoicingFieldTexts = {
  "errors.invoicing.customer_incomplete": [
    "An e-invoice needs this part of the client's details, and it is missing.",
    "Complete the details of the client, and issue the next invoice with them.",
  ],
  "errors.invoicing.invalid_currency": [
    "The currency is not a code of ISO 4217 that the service knows.",
    "Send a code of three letters, such as EUR.",
  ],
  "errors.invoicing.invalid_number_format": [
    "The format of numbers lacks its sequence or has an unknown part.",
    "Use `{seq}` or `{seq:4}` once, with `{year}` if the numbers start again each year.",
  ],
  "errors.invoicing.ledger_code_missing": [
    "A line has no ledger account, so the invoice cannot be booked.",
    "Choose a ledger account for the line, its product or the organisation.",
  ],
  "errors.invoicing.one_claim_per_line": [
    "A line bills hours, an agreement or a domain, and names more than one of them.",
    "Make a line for each.",
  ],
  "errors.invoicing.subscription_period_required": [
    "A line that bills an agreement or a domain needs its period.",
    "Send `period_end`.",
  ],
  "errors.invoicing.subscription_required": [
    "A line has a period, but no agreement or domain.",
    "Send `subscription_id` or `domain_id`, or leave the period out.",
  ],
  "errors.invoicing.template_body_required": [
    "A template with a design of its own has no body.",
    "Send `html`, or choose a shipped design.",
  ],
} satisfies ErrorTexts;
