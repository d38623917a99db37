import { mergedProofs } from "../../test/support/fixture/merged-proofs.ts";
import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { accountProofs } from "./proofs-accounts.ts";
import { readProofs } from "./proofs-reads.ts";
import { writeProofs } from "./proofs-writes.ts";

/** The fixtures of advertising. Only tests load them. */
const proofs: DefineProofs = (tools) => {
  const { tools: _, ...accounts } = accountProofs(tools);
  return mergedProofs(accounts, readProofs, writeProofs(tools));
};
export default proofs;
