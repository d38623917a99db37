import { described, type Texts } from "../schema/fields.ts";
import { closed, json, nullable, type TObject, type TProperties, Type, uuid } from "../schema/schema.ts";

/** The facts of a column that rules need: its type in PostgreSQL, and whether it is a secret. */
export interface SeenColumn {
  facts: { readonly type: string; readonly nullable: boolean; readonly secret?: boolean };
}

/** A type of record as automation rules see it: the columns of its model, without secrets. */
export interface AutomationEntity {
  model: { readonly table: string; readonly shown: readonly string[]; readonly columns: Readonly<Record<string, SeenColumn>> };
  /** Values stored outside the table that still belong to the record, as SQL on alias `t`: the starred person of a roster. */
  derived?: Readonly<Record<string, string>>;
  /** For a type with several clients: SQL on alias `t` of the one that a rule acts for, null without one. */
  client?: string;
}

/** A model as rules see it when they see only some of its columns. @param names the columns */
export const seenOf = <M extends AutomationEntity["model"]>(
  { table, columns }: M,
  names: readonly (keyof M["columns"] & string)[],
): AutomationEntity["model"] => ({ table, columns, shown: names });

/** A domain event that triggers rules. */
export interface AutomationTrigger {
  position: number;
  /** The event fields that rules see: conditions compare them and runs store them. */
  payload: readonly string[];
}

/** What a rule can do: an action of the module, called as the system with the body of `automationCall`. */
export interface AutomationAction {
  position: number;
  /** The schema of its configuration, made by `actionConfig`. Keys are checked when a rule is saved, values when it runs. */
  config: TObject;
  /** The broker name of the action, which returns an `AutomationOutcome`. */
  call: string;
  /** What the caller needs to save a rule with it: the permission of the same act by a person on any record, as roles store it (platform §2.1). */
  permission: string;
  /** By key of its configuration, the permission that a rule also needs if it sets that key. */
  alsoNeeds?: Readonly<Record<string, string>>;
  /** The key of its configuration that names the account to which it hands work: an inactive one is refused when the rule is saved. */
  handsTo?: string;
  /** Validates a configuration when its rule is saved: null if valid. */
  refused?: (config: Readonly<Record<string, unknown>>) => RefusedConfig | null;
}

/** An invalid value in a configuration: its field, the translation key of the error, and what belongs there. */
export interface RefusedConfig {
  field: string;
  error: string;
  expected: string;
}

/** A module's additions to automation rules: types of record by name, triggers by event and actions by key. */
export interface AutomationDeclaration {
  entities?: Readonly<Record<string, () => Promise<AutomationEntity>>>;
  triggers?: Readonly<Record<string, AutomationTrigger>>;
  actions?: Readonly<Record<string, AutomationAction>>;
}

export type NamedTrigger = AutomationTrigger & { event: string; entity_type: string };
export type NamedAction = AutomationAction & { key: string };

/** The triggers and actions of all modules, by position, and the types of record that rules see. */
export interface AutomationCatalogue {
  entities: ReadonlyMap<string, () => Promise<AutomationEntity>>;
  triggers: ReadonlyMap<string, NamedTrigger>;
  actions: ReadonlyMap<string, NamedAction>;
}

/** `task.set_status` as `TaskSetStatus`, for the name of a schema. */
export const schemaName = (key: string): string => key.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * The configuration of an action: its validation, its part of the API reference and of the automation catalogue, and its example.
 * @param key of the action, such as `task.create`
 * @param about what the action does, and which fields it needs
 * @param texts descriptions of the fields
 * @param example a configuration that can be saved as it is
 */
export const actionConfig = <P extends TProperties>(
  key: string,
  about: string,
  properties: P,
  { texts, example }: { texts: Texts; example: Readonly<Record<string, unknown>> },
) => Type.Object(described(properties, texts), { $id: `${schemaName(key)}Config`, title: key, description: about, example });

/** A configuration as a caller may send it: without other keys. A stored one may have some, which its run ignores. */
export const closedConfig = ({ config }: Pick<AutomationAction, "config">): TObject => closed(config);

/** The body of an automation action: its configuration, and the run that calls it. */
export const automationCall = <P extends TProperties>(config: TObject<P>) =>
  Type.Object({
    config,
    trigger: Type.Object({
      event: Type.String(),
      entity_type: Type.String(),
      entity_id: uuid(),
      /** The client of the record that triggered the rule, as it was then. */
      company_id: nullable(uuid()),
      payload: json(),
      rule_name: Type.String(),
    }),
  });

/** A translation key: what the steps and runs of rules show as their error, never a sentence of the system. */
export type ErrorKey = `errors.${string}`;

/** The outcome of an automation action: the result that its step shows, and the key of its error if it ran without success. */
export interface AutomationOutcome {
  result?: Record<string, unknown>;
  failed?: ErrorKey;
}

/** The outcome of an action whose configuration cannot be used (platform chapter §2.5). */
export const unusableConfig: AutomationOutcome = { failed: "errors.automation_action_config_invalid" };
