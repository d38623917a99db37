import { Type } from "../schema/schema.ts";
import { catalogue, events } from "./catalogue/catalogue.ts";
import { type EventKind, RECORD_CHANGES, type RecordChange } from "./events.ts";
import type { RecordDeclaration } from "./module.ts";

const ABOUT: Readonly<Record<RecordChange, string>> = {
  created: "was added.",
  updated: "was changed. `changed` lists the changed fields; the changes of one request are one event.",
  deleted: "is gone.",
};

const changed = {
  changed: Type.Array(Type.String(), { description: "Names of the fields that changed, as the record's own answer has them" }),
};

function recordEvent(kind: string, change: RecordChange): EventKind {
  const words = kind.replaceAll("_", " ");
  const id = { [`${kind}_id`]: Type.String({ format: "uuid", description: `The ${words}` }) };
  return {
    about: `A record of the kind '${words}' ${ABOUT[change]}`,
    entity: kind,
    payload: Type.Object(change === "updated" ? { ...id, ...changed } : id),
  };
}

let reported: ReadonlyMap<string, NonNullable<RecordDeclaration["changes"]>> | undefined;

/** The changes that trail lines report, for each type of record that declares `changes`. */
export const reportedKinds = (): NonNullable<typeof reported> =>
  (reported ??= new Map(
    catalogue().built.flatMap(({ manifest }) =>
      Object.entries(manifest.records ?? {}).flatMap(([kind, { changes }]) => (changes ? [[kind, changes] as const] : [])),
    ),
  ));

let known: Readonly<Record<string, EventKind>> | undefined;

/**
 * The events of outgoing webhooks in addition to domain events (platform §5.9): `<kind>.created`, `.updated` and `.deleted` of each type
 * that declares `changes`. If a domain event has that name, webhooks send that one.
 */
export const recordEvents = (): Readonly<Record<string, EventKind>> =>
  (known ??= Object.fromEntries(
    [...reportedKinds().keys()].flatMap((kind) =>
      RECORD_CHANGES.flatMap((change) => {
        const name = `${kind}.${change}`;
        return Object.hasOwn(events(), name) ? [] : [[name, recordEvent(kind, change)] as const];
      }),
    ),
  ));

/** Whether webhooks send a domain event: it has no facts that only one person knows. */
const isSent = ({ withheld }: EventKind): boolean => withheld === undefined;

/** Every event of outgoing webhooks, by name: the domain events they send, and those of records. */
export const webhookEvents = (): Readonly<Record<string, EventKind>> => ({
  ...Object.fromEntries(Object.entries(events()).filter(([, kind]) => isSent(kind))),
  ...recordEvents(),
});

export const isWebhookEvent = (name: string): boolean => {
  const kind = Object.hasOwn(events(), name) ? events()[name] : undefined;
  return kind ? isSent(kind) : Object.hasOwn(recordEvents(), name);
};
