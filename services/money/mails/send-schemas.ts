import { email, flag, input, multiline, nullable, optional } from "../../../core/declare/schema.ts";

/** Longest message of a sender, in characters (money §13). */
const LONGEST_MESSAGE = 2000;

export const DocumentSend = input("DocumentSend", {
  to: optional(nullable(email())),
  message: optional(nullable(multiline(LONGEST_MESSAGE))),
  email: optional(flag(true)),
});

/** How sending a document may end (money §13). */
export const SEND_ERRORS = [
  "not_found",
  "conflict errors.invoicing.wrong_status",
  "validation errors.invoicing.no_recipient",
  "email_not_configured",
  "email_failed errors.invoicing.email_failed",
  "unavailable",
];
