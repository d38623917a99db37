import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** Fixtures for links to metric sources. */
export const linkProofs: DefineProofs = ({ insert, make, named, next }) => ({
  makers: {
    link_id: {
      ofCompany: true,
      make: (place) =>
        insert(place, "marketing_links", {
          company_id: place.companyId,
          source: "ga4",
          external_id: `properties/${next()}`,
          display_name: named(place.token),
        }),
    },
  },
  values: { source: () => "ga4" },
  bodies: {
    "POST /marketing/links": async (place) => ({
      company_id: place.companyId,
      website_id: await make("website_id", place),
      source: "ga4",
      external_id: `properties/${next()}`,
      display_name: named(place.token),
    }),
  },
});
