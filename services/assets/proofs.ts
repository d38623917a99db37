import type { DefineProofs, ModuleProofs } from "../../test/support/fixture/proofs.ts";
import { domainProofs } from "./domains/proofs-domains.ts";
import { websiteProofs } from "./websites/proofs-websites.ts";

const KINDS = ["makers", "values", "bodies", "arranged", "asked", "personal", "signedIn", "fixedLists", "lists"] as const;

/** Fixtures of assets for the generic tests, merged from its parts. Only the tests load it. */
const proofs: DefineProofs = (tools) => {
  const parts = [domainProofs, websiteProofs].map((define) => define(tools));
  return Object.fromEntries(
    KINDS.map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind] ?? {}))]),
  ) as ModuleProofs;
};
export default proofs;
