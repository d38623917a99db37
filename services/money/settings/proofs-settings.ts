import type { DefineProofs } from "../../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of settings. */
export const settingProofs: DefineProofs = ({ next, insert, named }) => ({
  makers: {
    tax_rate_id: {
      ofCompany: false,
      make: (place) => insert(place, "tax_rates", { label_i18n: { en: named(place.token) }, rate: 21 }),
    },
    product_id: {
      ofCompany: false,
      make: (place) => insert(place, "products", { name: named(place.token), code: `P${next()}` }),
    },
    default_template_id: {
      ofCompany: false,
      make: (place) => insert(place, "invoice_templates", { name: named(place.token) }),
    },
  },
  values: {
    company_details: () => ({ name: "Vela Works B.V.", country: "nl" }),
    category: () => "standard",
    code: () => `P${next()}`,
    invoice_number_format: () => "{year}-{seq:4}",
    quote_number_format: () => "Q{year}-{seq:4}",
    tax_country: () => "NL",
    "/invoicing/invoices/{invoice_id}/export provider": () => "journal",
  },
  arranged: {
    "POST /invoicing/invoices/{invoice_id}/export": ({ sql, tenant }, { invoice_id }) =>
      sql.query(
        "update invoices set status = 'open', number = coalesce(number, 'X' || id::text) where organisation_id = $1 and id = $2",
        [tenant.organisation.id, invoice_id],
      ),
  },
});
