import type { Step } from "../step.ts";
import { instanceTables } from "./0070-uptime/instances.ts";
import { monitorTables } from "./0070-uptime/monitors.ts";

/** Servers that watch websites, the monitors on them and what those last saw (workspace-reporting §5). */
const step: Step = {
  async up(context) {
    await instanceTables(context);
    await monitorTables(context);
  },
};

export default step;
