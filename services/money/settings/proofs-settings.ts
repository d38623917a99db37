import type { DefineProofs } from "../../../test/support/fixture/proofs.ts";

/** Fixtures of settings for the generic tests. */
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
    // An issued document, with a ledger account on every line.
    "POST /invoicing/invoices/{invoice_id}/export": async (place, { invoice_id }) => {
      const rate = await insert(place, "tax_rates", { rate: 21, ledger_code: "8000" });
      const values = [place.tenant.organisation.id, invoice_id];
      await place.sql.query("update document_lines set tax_rate_id = $3 where organisation_id = $1 and invoice_id = $2", [
        ...values,
        rate,
      ]);
      await place.sql.query(
        "update invoices set status = 'open', number = coalesce(number, 'X' || id::text) where organisation_id = $1 and id = $2",
        values,
      );
    },
  },
  fixedLists: {
    "GET /invoicing/providers": "the operator's configuration, no rows",
    "GET /invoicing/invoices/{invoice_id}/refs": "one per provider; its own test counts the statements",
  },
});
