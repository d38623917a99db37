/** The seller as documents print it: current on drafts, frozen at issue on issued documents (money §1). */
export type SellerDetails = Partial<
  Record<
    | "name"
    | "address_line1"
    | "address_line2"
    | "postal_code"
    | "city"
    | "country"
    | "vat_number"
    | "coc_number"
    | "iban"
    | "bic"
    | "website"
    | "email"
    | "phone",
    string | null
  >
>;

type Field = keyof SellerDetails;

/** Fields that belong together: a blank one stays blank if the frozen seller differs in another, as filling it would mix two sellers. */
const TOGETHER: readonly (readonly Field[])[] = [
  ["address_line1", "address_line2", "postal_code", "city"],
  ["iban", "bic"],
];
const ALONE: readonly Field[] = ["name", "country", "vat_number", "coc_number", "website", "email", "phone"];

/**
 * The seller fields that were blank at issue and that the settings have now (money §4 "Ready for e-invoicing"). Fields filled at issue
 * stay.
 * @param frozen the seller at issue
 * @param now the seller in the settings
 * @returns the fields to fill, or null
 */
export function completedSeller(frozen: SellerDetails, now: SellerDetails): SellerDetails | null {
  const groups = [...TOGETHER, ...ALONE.map((field) => [field])];
  const filled = groups.flatMap((fields) => {
    const isOther = fields.some((field) => frozen[field] && frozen[field] !== now[field]);
    return isOther ? [] : fields.filter((field) => !frozen[field] && now[field]).map((field) => [field, now[field]] as const);
  });
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
