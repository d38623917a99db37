import type { DefineReferences } from "../../test/support/lists/answers.ts";
import { domainReferences } from "./domains/lists-domains.ts";
import { websiteReferences } from "./websites/lists-websites.ts";

/** Expected results of the lists of assets, each built on the rows of the parts before it. Only the tests load it. */
const references: DefineReferences = (tools) => [domainReferences, websiteReferences].flatMap((define) => define(tools));
export default references;
