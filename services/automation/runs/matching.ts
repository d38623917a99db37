import { newId } from "../../../core/database/model.ts";
import { queryAll } from "../../../core/database/query.ts";
import type { NamedTrigger } from "../../../core/declare/automation.ts";
import { automation } from "../../../core/declare/catalogue/catalogue.ts";
import type { EventHook, RecordedEvent } from "../../../core/declare/events.ts";
import { type LicenceState, mayBeWritten } from "../../../core/declare/licence.ts";
import { LICENCE_COLUMNS, licenceOf, type StoredLicence } from "../../../core/organisation/licence-state.ts";
import { ByRevision } from "../../../core/request/by-revision.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { flatMapped } from "../../../core/threads/breath.ts";
import { type Conditions, meets } from "../rules/conditions.ts";
import { factsOf, type Snapshot, snapshotsOf } from "../rules/snapshots.ts";
import { keepMatches, type Occurred } from "./matches.ts";
import { scheduleRuns } from "./run-jobs.ts";
import { TOO_DEEP } from "./run-limits.ts";

/** Milliseconds between the commit and the start of a run. */
const DELAY = 2000;

const RULES = statement(`select id, name, trigger_event, conditions from automation_rules
  where organisation_id = $1 and enabled order by position, created_at, id`);

/** The licence columns for automation, read with the rules because a job has no principal to hold them. */
const LICENCE = statement(`select ${LICENCE_COLUMNS} from organisations o where o.id = $1`);

interface EnabledRule {
  id: string;
  name: string;
  trigger_event: string;
  conditions: Conditions;
}

/** The enabled rules of an organisation, in order, and its licence. */
interface Rules {
  enabled: EnabledRule[];
  licence: LicenceState;
}

const known = new ByRevision<Rules>();

/** The active rules: none while the licence does not cover automation, so that no run is stored for later (platform §2.1). */
const active = ({ enabled, licence }: Rules): EnabledRule[] => (mayBeWritten("automation", licence, Date.now()) ? enabled : []);

/** The event as rules see it, without its recipients. */
function triggerEvent(
  { id: event_id, name: event, entityType: entity_type, entityId: entity_id, payload }: RecordedEvent,
  trigger: NamedTrigger,
): Occurred {
  const held: Readonly<Record<string, unknown>> = payload;
  return {
    event_id,
    event,
    entity_type,
    entity_id,
    payload: Object.fromEntries(trigger.payload.map((field) => [field, held[field] ?? null])),
  };
}

/** The ids of a run for each of these rules, and the ids and names of the rules, in order. */
const runsOf = (rules: readonly EnabledRule[]) => ({
  run_ids: rules.map(() => newId()),
  rule_ids: rules.map(({ id }) => id),
  rule_names: rules.map(({ name }) => name),
});

/** The ids of the events' records, by kind of record. */
function recordsOf(occurrences: readonly Occurred[]): ReadonlyMap<string, string[]> {
  const records = new Map<string, string[]>();
  for (const { entity_type, entity_id } of occurrences) {
    const ids = records.get(entity_type);
    if (ids) ids.push(entity_id);
    else records.set(entity_type, [entity_id]);
  }
  return records;
}

/**
 * The rules that these events may trigger, and the snapshots of their records. Takes one message if the rules are not cached, and none if
 * no rule starts from these events.
 */
async function read(
  occurrences: readonly Occurred[],
  organisationId: string,
): Promise<{ rules: EnabledRule[]; found: Snapshot[] }> {
  const events = new Set(occurrences.map(({ event }) => event));
  const startFrom = (rules: EnabledRule[]) => rules.filter(({ trigger_event }) => events.has(trigger_event));
  const all = known.get();
  if (all) {
    const rules = startFrom(active(all));
    const meant = occurrences.filter(({ event }) => rules.some(({ trigger_event }) => trigger_event === event));
    if (meant.length === 0) return { rules, found: [] };
    return { rules, found: (await queryAll(await snapshotsOf(recordsOf(meant))))[0] as unknown as Snapshot[] };
  }
  const [enabled, [stored], found] = (await queryAll(
    [RULES, [organisationId]],
    [LICENCE, [organisationId]],
    await snapshotsOf(recordsOf(occurrences), [...events]),
  )) as unknown as [EnabledRule[], [StoredLicence], Snapshot[]];
  const rules = { enabled, licence: licenceOf(stored) };
  known.keep(rules);
  return { rules: startFrom(active(rules)), found };
}

/**
 * Stores a run for each enabled rule that an event of this transaction triggers, to start shortly after the commit (platform chapter §2.4).
 * Reads in one message, however many events there are; the writes are sent with the commit.
 */
export const matchRules: EventHook = async (recorded) => {
  const { triggers } = automation();
  const occurrences = await flatMapped(recorded, (event) => {
    const trigger = triggers.get(event.name);
    return trigger ? [triggerEvent(event, trigger)] : [];
  });
  if (occurrences.length === 0) return;
  const { organisation, cause } = request();
  const { rules, found } = await read(occurrences, organisation.id);
  if (rules.length === 0) return;
  const snapshots = new Map(found.map((snapshot) => [`${snapshot.entity_type} ${snapshot.id}`, snapshot]));

  const matched = await flatMapped(occurrences, (occurred) => {
    const snapshot = snapshots.get(`${occurred.entity_type} ${occurred.entity_id}`);
    const facts = factsOf(snapshot, occurred.payload);
    const { event_id: identity, event: trigger_event, entity_type, entity_id, payload } = occurred;
    const met = rules.filter((rule) => rule.trigger_event === trigger_event && meets(facts, rule.conditions));
    if (met.length === 0) return [];
    const company_id = snapshot?.company_id ?? null;
    return [{ trigger_event, entity_type, entity_id, company_id, payload, identity, ...runsOf(met) }];
  });
  if (matched.length === 0) return;
  const depth = cause?.depth ?? 0;
  keepMatches(matched, depth);
  if (depth >= TOO_DEEP) return;
  const runs = matched.flatMap(({ entity_id, run_ids }) => run_ids.map((id) => ({ id, entity_id })));
  scheduleRuns(runs, new Date(Date.now() + DELAY));
};
