import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const companiesFieldTexts = {
  "errors.companies.invalid_number_format": [
    "The format of client numbers lacks its sequence or has an unknown part.",
    "Use `{seq}` or `{seq:4}` once, with `{year}` if the numbers start again each year.",
  ],
} satisfies ErrorTexts;

/** Keys that `fields` of an answer can carry. */
export const contactsFieldTexts = {
  "errors.contact_company_required": ["The contact would belong to no client.", "Send at least one id in `company_ids`."],
} satisfies ErrorTexts;
