import type { Model } from "../database/model.ts";
import { catalogue } from "./catalogue/catalogue.ts";
import { json, nullable, type TObject, type TProperties, Type, uuid } from "./schema.ts";

/** A type of record as automation rules see it: the columns of its model, without secrets. */
export interface AutomationEntity {
  model: Model;
  /** Values stored outside the table that still belong to the record, as SQL on alias `t`: the starred person of a roster. */
  derived?: Readonly<Record<string, string>>;
}

/** A domain event that triggers rules. */
export interface AutomationTrigger {
  position: number;
  /** The event fields that rules see: conditions compare them and runs store them. */
  payload: readonly string[];
}

/** What a rule can do: an action of the module, called as the system with the body of `automationCall`. */
export interface AutomationAction {
  position: number;
  /** The schema of its configuration when it runs. */
  config: TObject;
  /** The broker name of the action, which returns an `AutomationOutcome`. */
  call: string;
  /** Validates a configuration when its rule is saved: a translation key, null if valid. */
  refused?: (config: Readonly<Record<string, unknown>>) => string | null;
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

/** The automation catalogue. */
export const automation = (): AutomationCatalogue => catalogue().automation;

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

/** The outcome of an automation action: the result that its step shows, and an error text if it ran without success. */
export interface AutomationOutcome {
  result?: Record<string, unknown>;
  failed?: string;
}

/** The outcome of an action whose configuration cannot be used (platform chapter §2.5). */
export const unusableConfig: AutomationOutcome = { failed: "errors.automation_action_config_invalid" };

/** The outcome of an action that called another system and whose node died before the response: it is unknown whether the call arrived. */
export const outcomeUnknown: AutomationOutcome = { failed: "errors.automation_outcome_unknown" };
