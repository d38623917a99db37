import { smsAvailable } from "../../../core/mail/sms.ts";

/** A way to prove the second factor. */
export type Method = "totp" | "backup" | "sms";

/** The methods to finish a sign-in, in the order offered (access §2.3). */
export const methodsOf = (hasPhone: boolean): Method[] => [
  "totp",
  "backup",
  ...(hasPhone && smsAvailable() ? (["sms"] as const) : []),
];
