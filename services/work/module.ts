import { interactions } from "./interactions/manifest.ts";
import { projects } from "./projects/manifest.ts";
import { tasks } from "./tasks/manifest.ts";
import { time } from "./time/manifest.ts";

declare module "../../core/custom-fields/values.ts" {
  interface CustomRecords {
    project: true;
  }
}

export default [projects, tasks, time, interactions];
