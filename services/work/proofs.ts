import type { DefineProofs, ModuleProofs } from "../../test/support/fixture/proofs.ts";
import { interactionsProofs } from "./interactions/proofs-interactions.ts";
import { projectsProofs } from "./projects/proofs-projects.ts";
import { partsProofs } from "./proofs-parts.ts";
import { tasksProofs } from "./tasks/proofs-tasks.ts";
import { timeProofs } from "./time/proofs-time.ts";

const KINDS = ["makers", "values", "bodies", "arranged", "asked", "personal", "signedIn", "fixedLists", "lists"] as const;

/** Fixtures of work for the generic tests, merged from its parts. Only tests load this. */
const proofs: DefineProofs = (tools) => {
  const parts = [projectsProofs, tasksProofs, partsProofs, timeProofs, interactionsProofs].map((define) => define(tools));
  return Object.fromEntries(
    KINDS.map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind] ?? {}))]),
  ) as ModuleProofs;
};
export default proofs;
