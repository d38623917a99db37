import { catalogue } from "./catalogue/catalogue.ts";
import { type EventKind, events } from "./events.ts";
import type { RecordDeclaration } from "./module.ts";
import { Type } from "./schema.ts";

/** What happens to a record as outgoing webhooks report it. */
export const RECORD_CHANGES = ["created", "updated", "deleted"] as const;
export type RecordChange = (typeof RECORD_CHANGES)[number];

/** What a line of the trail reports of its record: a change, or the fields that changed. */
export type ReportedChange = RecordChange | readonly string[];

const ABOUT: Readonly<Record<RecordChange, string>> = {
  created: "was added.",
  updated: "was changed. `changed` names the fields that did, with the changes of one request in one event.",
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

/** What lines of the trail report, by the kinds of records whose changes outgoing webhooks know. */
export const reportedKinds = (): NonNullable<typeof reported> =>
  (reported ??= new Map(
    catalogue().built.flatMap(({ manifest }) =>
      Object.entries(manifest.records ?? {}).flatMap(([kind, { changes }]) => (changes ? [[kind, changes] as const] : [])),
    ),
  ));

let known: Readonly<Record<string, EventKind>> | undefined;

/**
 * The events that outgoing webhooks know beside domain events (platform §5.9): `<kind>.created`, `.updated` and `.deleted` of each kind that
 * declares `changes`. Where a domain event has that name, it is the one that is sent.
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

/** Whether webhooks send a domain event: it does not tell of what a single person alone knows. */
const isSent = ({ withheld }: EventKind): boolean => withheld === undefined;

/** Every event that outgoing webhooks know, by name: domain events that they send, and those of records. */
export const webhookEvents = (): Readonly<Record<string, EventKind>> => ({
  ...Object.fromEntries(Object.entries(events()).filter(([, kind]) => isSent(kind))),
  ...recordEvents(),
});

export const isWebhookEvent = (name: string): boolean => {
  const kind = Object.hasOwn(events(), name) ? events()[name] : undefined;
  return kind ? isSent(kind) : Object.hasOwn(recordEvents(), name);
};
