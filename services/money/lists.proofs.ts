import type { DefineReferences } from "../../test/support/lists/answers.ts";
import { agreementReferences } from "./agreements/lists-agreements.ts";
import { documentReferences } from "./documents/lists-documents.ts";

/** Reference answers for the lists of money. Only tests load them. */
const references: DefineReferences = (tools) => [documentReferences, agreementReferences].flatMap((define) => define(tools));
export default references;
