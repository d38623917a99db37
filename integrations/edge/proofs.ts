import type { DefineProofs, ModuleProofs } from "../../test/support/fixture/proofs.ts";
import { edgeRows } from "./proofs-accounts.ts";
import { redirectProofs } from "./redirects/proofs-redirects.ts";
import { zoneProofs } from "./zones/proofs-zones.ts";

const KINDS = ["makers", "values", "bodies", "arranged", "asked", "personal", "signedIn", "fixedLists", "lists"] as const;

const accountProofs: DefineProofs = (tools) => {
  const { account, newToken } = edgeRows(tools);
  return {
    makers: {
      "/edge account_id": { ofCompany: false, make: async (place) => (await account(place, tools.named(place.token))).id },
    },
    values: { api_token: newToken },
  };
};

/** Fixtures of the edge for the generic tests, merged from its parts. Only the tests load it. */
const proofs: DefineProofs = (tools) => {
  const parts = [accountProofs, zoneProofs, redirectProofs].map((define) => define(tools));
  return Object.fromEntries(
    KINDS.map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind] ?? {}))]),
  ) as ModuleProofs;
};
export default proofs;
