import type { DefineReferences } from "../../test/support/lists/answers.ts";
import { agreementReferences } from "./agreements/lists-agreements.ts";
import { documentReferences } from "./documents/lists-documents.ts";

/** What the lists of money are to answer: those of its parts. Loaded by the tests alone. */
const references: DefineReferences = (tools) => [documentReferences, agreementReferences].flatMap((define) => define(tools));
export default references;
