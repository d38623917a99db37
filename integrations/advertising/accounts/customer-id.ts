import { invalid } from "../../../core/errors/errors.ts";

/**
 * The digits of a customer id: `123-456-7890`, `1234567890` and `customers/1234567890` are the same (marketing-ads §3.2).
 * @param field the input field, for the error
 * @throws 422 without digits
 */
export function readCustomerId(typed: string, field: string): string {
  const digits = typed.replace(/\D/g, "");
  if (digits === "") throw invalid({ [field]: "errors.ads_platform_customer_id_invalid" });
  return digits;
}

/** Like `readCustomerId`, but null for blank text. */
export const readOptionalId = (typed: string | null, field: string): string | null =>
  typed === null || typed.trim() === "" ? null : readCustomerId(typed, field);
