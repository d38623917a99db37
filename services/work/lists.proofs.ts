import type { DefineReferences } from "../../test/support/lists/answers.ts";
import { interactionReferences } from "./interactions/lists-interactions.ts";
import { projectReferences } from "./projects/lists-projects.ts";
import { taskReferences } from "./tasks/lists-tasks.ts";
import { timeReferences } from "./time/lists-time.ts";

/** Reference results for the lists of work; each part builds on the rows of the parts before it. Only tests load this. */
const references: DefineReferences = (tools) =>
  [projectReferences, taskReferences, timeReferences, interactionReferences].flatMap((define) => define(tools));
export default references;
