import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** Fixtures of the platform for the generic tests. Only the tests load it. */
const proofs: DefineProofs = ({ next, insert, idOf, textFile }) => ({
  makers: {
    // The upload endpoint stores its bytes.
    file_id: {
      ofCompany: true,
      async make({ tenant, token, companyId }) {
        const { body, headers } = textFile(token);
        return idOf(await tenant.owner.post(`/files?entity_type=company&entity_id=${companyId}`, body, { headers }));
      },
    },
    definition_id: {
      ofCompany: false,
      make: (place) => insert(place, "custom_field_definitions", { entity_type: "company", key: `field_${next()}` }),
    },
  },
  values: {
    accent_color: () => "#123456",
    currency: () => "EUR",
    custom_avatar_url: () => "https://example.com/me.png",
    enabled_modules: () => ["companies", "contacts"],
    icon_url: () => "https://example.com/icon.png",
    logo_url: () => "https://example.com/logo.png",
    primary_color: () => "#654321",
    required: () => false,
    timezone: () => "Europe/Amsterdam",
  },
  fixedLists: {
    "GET /files": "files of one record; a separate test counts the statements",
    "GET /custom-fields/entity-types": "one entry per kind of record, not per row",
  },
});
export default proofs;
