import type { ModuleProofs } from "../../test/support/fixture/proofs.ts";

/** Fixtures for the reads of an account. */
export const readProofs: ModuleProofs = {
  values: { "/ads-platform period": () => "7d" },
  bodies: {
    "POST /ads-platform/accounts/{account_id}/query": async () => ({ query: "SELECT campaign.id FROM campaign" }),
    "POST /ads-platform/accounts/{account_id}/keyword-ideas": async () => ({ keywords: ["bread"] }),
  },
};
