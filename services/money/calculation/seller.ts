import type { SellerDetails } from "../settings/models.ts";

type Field = keyof SellerDetails;

/** Fields that say something together: a blank one is not filled from a seller that differs in another one, for it would mix two of them. */
const TOGETHER: readonly (readonly Field[])[] = [
  ["address_line1", "address_line2", "postal_code", "city"],
  ["iban", "bic"],
];
const ALONE: readonly Field[] = ["name", "country", "vat_number", "coc_number", "website", "email", "phone"];

/**
 * What the seller of issued documents gets when the settings get it first: the fields that were blank when it was frozen (money §4 "Ready for
 * e-invoicing"). What was filled then stays.
 * @param frozen the seller as it was at issue
 * @param now the seller of the settings
 * @returns the fields to fill; null for none
 */
export function completedSeller(frozen: SellerDetails, now: SellerDetails): SellerDetails | null {
  const groups = [...TOGETHER, ...ALONE.map((field) => [field])];
  const filled = groups.flatMap((fields) => {
    const isOther = fields.some((field) => frozen[field] && frozen[field] !== now[field]);
    return isOther ? [] : fields.filter((field) => !frozen[field] && now[field]).map((field) => [field, now[field]] as const);
  });
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
