import { mergedProofs } from "../../test/support/fixture/merged-proofs.ts";
import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { drilldownProofs } from "./proofs-drilldowns.ts";
import { linkProofs } from "./proofs-links.ts";
import { readingProofs } from "./proofs-reading.ts";

/** The fixtures of marketing. Only tests load them. */
const proofs: DefineProofs = (tools) => mergedProofs(readingProofs(tools), linkProofs(tools), drilldownProofs(tools));
export default proofs;
