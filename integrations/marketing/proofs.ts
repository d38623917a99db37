import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { drilldownProofs } from "./proofs-drilldowns.ts";

/** What the generic proofs need to know of marketing. Loaded by the tests alone. */
const proofs: DefineProofs = (tools) => drilldownProofs(tools);
export default proofs;
