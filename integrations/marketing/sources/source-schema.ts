import { namedValues } from "../../../core/naming/named-values.ts";
import { choice } from "../../../core/schema/schema.ts";
import { sources } from "./registry.ts";

/** Schema of a source key; the choices come from the registry. */
export const sourceKey = (description = "Metric source") =>
  choice(namedValues("MetricSource", [...sources.keys()]), { description });
