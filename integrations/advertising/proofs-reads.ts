import type { ModuleProofs } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of the reads of an account. */
export const readProofs: ModuleProofs = {
  values: { "/ads-platform period": () => "7d" },
  bodies: {
    "POST /ads-platform/accounts/{account_id}/query": async () => ({ query: "SELECT campaign.id FROM campaign" }),
    "POST /ads-platform/accounts/{account_id}/keyword-ideas": async () => ({ keywords: ["bread"] }),
  },
};
