import { invalid } from "../../../core/errors/errors.ts";

const SPELLINGS = /^(?:(?:customers\/)?(\d{10})|(\d{3})-(\d{3})-(\d{4}))$/;

/** The ten digits of a customer id in one of its spellings; null for anything else (marketing-ads §3.2). */
export function customerIdIn(text: string): string | null {
  const [, ...parts] = SPELLINGS.exec(text.trim()) ?? [];
  return parts.join("") || null;
}

/**
 * The ten digits of a customer id: `123-456-7890`, `1234567890` and `customers/1234567890` are the same (marketing-ads §3.2).
 * @param field the input field, for the error
 * @throws 422 for anything else
 */
export function readCustomerId(typed: string, field: string): string {
  const digits = customerIdIn(typed);
  if (digits === null) throw invalid({ [field]: "errors.ads_platform_customer_id_invalid" });
  return digits;
}

/** Like `readCustomerId`, but null for blank text. */
export const readOptionalId = (typed: string | null, field: string): string | null =>
  typed === null || typed.trim() === "" ? null : readCustomerId(typed, field);
