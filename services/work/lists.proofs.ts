import type { DefineReferences } from "../../test/support/lists/answers.ts";
import { interactionReferences } from "./interactions/lists-interactions.ts";
import { projectReferences } from "./projects/lists-projects.ts";
import { taskReferences } from "./tasks/lists-tasks.ts";
import { timeReferences } from "./time/lists-time.ts";

/** What the lists of work are to answer: those of its parts, each on the rows of the parts before it. Loaded by the tests alone. */
const references: DefineReferences = (tools) =>
  [projectReferences, taskReferences, timeReferences, interactionReferences].flatMap((define) => define(tools));
export default references;
