import { randomUUID } from "node:crypto";
import { RE2JS } from "re2js";
import type { Step } from "../step.ts";

/** Whether the engine of `core/custom-fields/pattern.ts`, as it was when this step was written, takes a pattern. */
function isTaken(source: string): boolean {
  try {
    new RegExp(source, "u");
    return (
      source.length <= 1_000 &&
      !/(?<!\\)(?:\\\\)*\\k/.test(source) &&
      RE2JS.compile(RE2JS.translateRegExp(`^(?:${source})$`)).programSize() <= 250
    );
  } catch {
    return false;
  }
}

/**
 * Patterns of custom fields are those of RE2 from here on. One that RE2 does not take demands nothing any more; the values of its field stay
 * as they are, and a line in the trail of the definition tells the organisation which pattern that is.
 */
const step: Step = {
  async up({ sql }) {
    const { rows } = await sql(`select id, organisation_id, entity_type, key, config_json ->> 'regex' as regex
      from custom_field_definitions where config_json ->> 'regex' <> ''`);
    for (const { id, organisation_id, entity_type, key, regex } of rows) {
      if (isTaken(regex as string)) continue;
      const payload = JSON.stringify({ entity_type, key, regex });
      await sql(
        `insert into activity (id, organisation_id, entity_type, entity_id, action, payload)
          values ($1, $2, 'custom_field', $3, 'pattern_not_supported', $4)`,
        [randomUUID(), organisation_id, id, payload],
      );
    }
  },
};
export default step;
