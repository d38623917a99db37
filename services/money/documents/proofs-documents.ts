import type { DefineProofs } from "../../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of documents. */
export const documentProofs: DefineProofs = () => ({});
