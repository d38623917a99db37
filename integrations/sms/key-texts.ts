import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that stored results carry. */
export const smsResultTexts = {
  "errors.sms_expired": [
    "The text message waited until it was no longer of use, and was not sent.",
    "Ask for a new message; look at the settings of the provider if it waits again.",
  ],
} satisfies ErrorTexts;
