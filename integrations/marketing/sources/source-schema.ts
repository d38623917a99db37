import { choice } from "../../../core/declare/schema.ts";
import { sources } from "./registry.ts";

/** The key of a source: whichever the registry found. */
export const sourceKey = (description = "Metric source") => choice([...sources.keys()], { description });
