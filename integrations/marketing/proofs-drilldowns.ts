import type { ModuleProofs, ProofTools } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of drilldowns and of the credentials of websites. Their sources have no key, so that nobody is called. */
export const drilldownProofs = ({ insert, next }: ProofTools): ModuleProofs => ({
  makers: {
    "/marketing link_id": {
      ofCompany: true,
      make: (place) =>
        insert(place, "marketing_links", {
          company_id: place.companyId,
          source: "seranking",
          external_id: String(next()),
          display_name: `${place.token} ${next()}`,
        }),
    },
  },
  values: {
    "/marketing/companies kind": () => "keyword_groups",
    "/marketing/websites address": () => "https://9.9.9.9/site",
    "/marketing/websites username": () => "reader",
    "/marketing/websites password": () => "abcd efgh ijkl mnop",
  },
});
