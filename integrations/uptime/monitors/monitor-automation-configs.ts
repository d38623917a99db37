import { actionConfig, automationCall } from "../../../core/declare/automation.ts";
import { integer } from "../../../core/schema/schema.ts";

/** The longest pause by a rule: thirty days, in minutes. */
const LONGEST_PAUSE = 43_200;

/** The configuration of `uptime.pause`. */
export const PauseConfig = actionConfig(
  "uptime.pause",
  "Pauses the monitor that triggered the rule at its server, and resumes it after these minutes. A later pause extends an earlier one; a monitor that a person paused stays paused.",
  { minutes: integer(1, LONGEST_PAUSE) },
  { texts: { minutes: "Minutes until it is resumed, 1 to 43,200 (thirty days)" }, example: { minutes: 60 } },
);
export const PauseCall = automationCall(PauseConfig);
