import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/** What the lists of documents are to answer. */
export const documentReferences: DefineReferences = () => [];
