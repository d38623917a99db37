import type { DefineProofs } from "../../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of templates. */
export const templateProofs: DefineProofs = ({ insert, named }) => ({
  makers: {
    "/invoicing/templates template_id": {
      ofCompany: false,
      make: (place) => insert(place, "invoice_templates", { name: named(place.token) }),
    },
  },
  bodies: {
    "POST /invoicing/templates/preview": async () => ({ config: { design: "letterhead" } }),
    "POST /invoicing/templates/qr-preview": async () => ({ config: { qr_style: "plain" } }),
  },
});
