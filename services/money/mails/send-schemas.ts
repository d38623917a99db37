import { email, field, flag, input, multiline, nullable, optional } from "../../../core/schema/schema.ts";

/** Maximum length of a sender's message, in characters (money §13). */
const LONGEST_MESSAGE = 2000;

export const DocumentSend = input("DocumentSend", {
  to: field(optional(nullable(email())), "Recipient's address; null uses the bill-to party's"),
  message: field(optional(nullable(multiline(LONGEST_MESSAGE))), "Plain text above the mail's own text; null without one"),
  email: field(optional(flag(true)), "False sends no mail and only records that it was sent by other means"),
});

/** Errors of sending a document (money §13). */
export const SEND_ERRORS = [
  "not_found",
  "conflict errors.invoicing.wrong_status",
  "validation errors.invoicing.no_recipient",
  "email_not_configured",
  "email_failed errors.invoicing.email_failed",
  "unavailable",
];
