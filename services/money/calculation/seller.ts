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
