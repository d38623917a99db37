import { mergedProofs } from "../../test/support/fixture/merged-proofs.ts";
import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { accountProofs } from "./proofs-accounts.ts";
import { readProofs } from "./proofs-reads.ts";
import { writeProofs } from "./proofs-writes.ts";

/** What the generic proofs need to know of advertising. Loaded by the tests alone. */
const proofs: DefineProofs = (tools) => {
  const { tools: _, ...accounts } = accountProofs(tools);
  return mergedProofs(accounts, readProofs, writeProofs(tools));
};
export default proofs;
