import { choice } from "../../../core/schema/schema.ts";
import { sources } from "./registry.ts";

/** Schema of a source key; the choices come from the registry. */
export const sourceKey = (description = "Metric source") => choice([...sources.keys()], { description });
