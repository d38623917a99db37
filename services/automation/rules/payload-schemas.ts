import { type NamedTrigger, schemaName } from "../../../core/declare/automation.ts";
import { automation, events } from "../../../core/declare/catalogue/catalogue.ts";
import { optionalAll, Type } from "../../../core/schema/schema.ts";

/** The fields of a trigger's event, all optional: a dry run may send any of them, and a run may be older than a field. */
function payloadOf({ event, payload }: NamedTrigger) {
  const { properties = {} } = events()[event]?.payload ?? {};
  const shown = Object.fromEntries(payload.flatMap((name) => (properties[name] ? [[name, properties[name]]] : [])));
  return Type.Object(optionalAll(shown), {
    $id: `${schemaName(event)}Payload`,
    title: event,
    description: `Fields of \`${event}\` as rules see them.`,
  });
}

/** The payloads of all triggers, for the API reference. */
export const TriggerPayload = { anyOf: [...automation().triggers.values()].map(payloadOf) };
