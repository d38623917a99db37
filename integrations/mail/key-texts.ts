import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that stored results carry. */
export const mailResultTexts = {
  "errors.email_expired": [
    "The mail waited for more than 24 hours and was not sent.",
    "Send it again; look at the mail settings if it waits again.",
  ],
  "errors.email_refused": [
    "The mail server refused the recipient or the message.",
    "Check the address; the mail keeps what the server answered.",
  ],
} satisfies ErrorTexts;
