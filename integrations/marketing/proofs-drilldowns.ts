import type { ModuleProofs, Place, ProofTools } from "../../test/support/fixture/proofs.ts";

/** Fixtures for drilldowns and website credentials. Their sources have no key, so no provider is called. */
export const drilldownProofs = ({ insert, next }: ProofTools): ModuleProofs => {
  const credential = async (place: Place, { website_id: website = "" }: Record<string, string>): Promise<void> => {
    const { owner } = place.tenant;
    const sent = { address: "https://9.9.9.9/site", username: "somebody", password: "mnop" };
    const { status, text } = await owner.put(`/marketing/websites/${website}/credential`, sent);
    if (status !== 200) throw new Error(`no credential: ${status} ${text}`);
  };
  return {
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
    arranged: {
      "GET /marketing/websites/{website_id}/credential": credential,
      "PUT /marketing/websites/{website_id}/credential": credential,
      "DELETE /marketing/websites/{website_id}/credential": credential,
    },
  };
};
