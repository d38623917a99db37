import type { DefineReferences } from "../../test/support/lists/answers.ts";
import { domainReferences } from "./domains/lists-domains.ts";
import { websiteReferences } from "./websites/lists-websites.ts";

/** What the lists of assets are to answer: those of its parts, each on the rows of the parts before it. Loaded by the tests alone. */
const references: DefineReferences = (tools) => [domainReferences, websiteReferences].flatMap((define) => define(tools));
export default references;
