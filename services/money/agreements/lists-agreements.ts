import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/** What the lists of agreements are to answer. */
export const agreementReferences: DefineReferences = () => [];
