import { smsAvailable } from "../../../core/mail/sms.ts";
import type { Method } from "./two-factors.ts";

/** The ways to finish a sign-in, in the order they are offered (access §2.3). */
export const methodsOf = (hasPhone: boolean): Method[] => [
  "totp",
  "backup",
  ...(hasPhone && smsAvailable() ? (["sms"] as const) : []),
];
