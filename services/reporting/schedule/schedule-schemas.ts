import { choice, field, flag, integer, nullable, optional, Type } from "../../../core/schema/schema.ts";
import { BUILT_IN, CADENCES, COMPARES, DELIVERIES } from "./schedule.ts";

const ABOUT = {
  cadence: "How often a report is made; `off` never, `quarterly` in January, April, July and October",
  day_of_month: "Day of the month on which it is made, in the organisation's zone",
  hour: "Hour of that day, 0 to 23, in the organisation's zone",
  compare: "What figures are compared with: the same span a `year` before, or the `previous` span",
  delivery: "`review`: a person sends it; `auto`: it is mailed once it is ready, unless a section failed",
  publish_to_portal: "Whether it appears in the client's portal once it is ready",
};
const inherited = (key: keyof typeof ABOUT) => `${ABOUT[key]}; null or absent inherits`;

const properties = {
  cadence: optional(nullable(choice(CADENCES, { description: inherited("cadence") }))),
  day_of_month: optional(nullable(integer(1, 28, { description: inherited("day_of_month") }))),
  hour: optional(nullable(integer(0, 23, { description: inherited("hour") }))),
  compare: optional(nullable(choice(COMPARES, { description: inherited("compare") }))),
  delivery: optional(nullable(choice(DELIVERIES, { description: inherited("delivery") }))),
  publish_to_portal: optional(nullable(field(flag(), inherited("publish_to_portal")))),
};

/** A schedule as sent: any key can be omitted and is then inherited. */
export const ReportSchedule = Type.Object(properties, {
  $id: "ReportSchedule",
  "x-usage": "both",
  description: "The set keys of a schedule; sent, they replace the stored ones as a whole, and null equals an omitted key",
});
export const NOTHING_SET = Object.fromEntries(Object.keys(BUILT_IN).map((key) => [key, null]));

/** An effective schedule. */
export const EffectiveSchedule = Type.Object(
  {
    cadence: choice(CADENCES, { description: ABOUT.cadence }),
    day_of_month: integer(1, 28, { description: ABOUT.day_of_month }),
    hour: integer(0, 23, { description: ABOUT.hour }),
    compare: choice(COMPARES, { description: ABOUT.compare }),
    delivery: choice(DELIVERIES, { description: ABOUT.delivery }),
    publish_to_portal: Type.Boolean({ description: ABOUT.publish_to_portal }),
  },
  {
    $id: "ReportEffectiveSchedule",
    "x-usage": "response",
    description: "The schedule in force: built in, then the organisation's keys, then the client's",
  },
);
