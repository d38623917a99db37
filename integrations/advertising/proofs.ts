import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { accountProofs } from "./proofs-accounts.ts";

/** What the generic proofs need to know of advertising. Loaded by the tests alone. */
const proofs: DefineProofs = (tools) => {
  const { tools: _, ...accounts } = accountProofs(tools);
  return accounts;
};
export default proofs;
