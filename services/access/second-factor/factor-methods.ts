import { smsAvailable } from "../../../core/mail/sms.ts";
import type { Method } from "./two-factors.ts";

/** The methods to finish a sign-in, in the order offered (access §2.3). */
export const methodsOf = (hasPhone: boolean): Method[] => [
  "totp",
  "backup",
  ...(hasPhone && smsAvailable() ? (["sms"] as const) : []),
];
