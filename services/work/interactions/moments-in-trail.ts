import type { NamedInTrail } from "../../../core/declare/module.ts";
import { namedMoment } from "../named-records.ts";

/** Contact moments in the trails of the task, project and client they are about, and of the task that one of them closes. */
export const momentsInTrail: NamedInTrail = {
  record: namedMoment,
  texts: { interaction_id: "subject", closing_interaction_id: "closing_subject" },
};
