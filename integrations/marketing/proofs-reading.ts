import type { ModuleProofs, ProofTools } from "../../test/support/fixture/proofs.ts";

/** Fixtures for settings and stored figures. */
export const readingProofs = ({ insert, named, next }: ProofTools): ModuleProofs => ({
  makers: {
    // The links that a client's report excludes.
    "/marketing exclude": {
      ofCompany: true,
      make: (place) =>
        insert(place, "marketing_links", {
          company_id: place.companyId,
          source: "seranking",
          external_id: `${next()}`,
          display_name: named(place.token),
        }),
    },
  },
  arranged: {
    // Unsaved settings of a client have version 0.
    "PUT /marketing/companies/{company_id}/settings": ({ sql, tenant }, { company_id }) =>
      sql.query(
        `insert into marketing_company_settings (id, organisation_id, company_id) values (gen_random_uuid(), $1, $2)
         on conflict do nothing`,
        [tenant.organisation.id, company_id],
      ),
  },
  bodies: {
    "PUT /marketing/settings": async (place) => ({
      ads_developer_token: named(place.token),
      seranking_api_key: named(place.token),
      default_compare: "previous",
      rankings: { source: "search_console", limit: (next() % 200) + 1 },
      report: { split: "combined" },
    }),
    "PUT /marketing/companies/{company_id}/settings": async () => ({
      show_key_events: false,
      layout: { sources: { gsc: { tiles: ["clicks"] } } },
      compare: "previous",
      rankings: { source: "off", limit: (next() % 200) + 1 },
      report: { split: "combined" },
    }),
  },
});
