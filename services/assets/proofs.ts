import type { DefineProofs, ModuleProofs } from "../../test/support/fixture/proofs.ts";
import { domainProofs } from "./domains/proofs-domains.ts";
import { websiteProofs } from "./websites/proofs-websites.ts";

const KINDS = ["makers", "values", "bodies", "arranged", "asked", "personal", "signedIn", "fixedLists", "lists"] as const;

/** What the generic proofs need to know of assets: that of its parts. Loaded by the tests alone. */
const proofs: DefineProofs = (tools) => {
  const parts = [domainProofs, websiteProofs].map((define) => define(tools));
  return Object.fromEntries(
    KINDS.map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind] ?? {}))]),
  ) as ModuleProofs;
};
export default proofs;
