import type { Model } from "../database/model.ts";
import { catalogue } from "./catalogue/catalogue.ts";
import { json, nullable, type TObject, type TProperties, Type, uuid } from "./schema.ts";

/** What rules of automation see of a kind of record: the columns of its model, of which none is a secret. */
export interface AutomationEntity {
  model: Model;
  /** What is stored beside the table and belongs to the record all the same, as SQL on alias `t`: the starred person of a roster. */
  derived?: Readonly<Record<string, string>>;
}

/** A domain event that sets rules off. */
export interface AutomationTrigger {
  /** Its place in the catalogue. */
  position: number;
  /** The fields of the event that rules see: what conditions compare, and what the runs keep. */
  payload: readonly string[];
}

/** Something a rule can do: an action of the module, called as the system with what `automationCall` describes. */
export interface AutomationAction {
  /** Its place in the catalogue. */
  position: number;
  /** What its configuration has to be when it runs. */
  config: TObject;
  /** The broker's name of the action that does it; it gives an `AutomationOutcome`. */
  call: string;
  /** What is wrong with a configuration already when its rule is saved: a translation key, null for nothing. */
  refused?: (config: Readonly<Record<string, unknown>>) => string | null;
}

/** What a module adds to what rules of an organisation start from and do, by kind of record, by event and by key. */
export interface AutomationDeclaration {
  entities?: Readonly<Record<string, () => Promise<AutomationEntity>>>;
  triggers?: Readonly<Record<string, AutomationTrigger>>;
  actions?: Readonly<Record<string, AutomationAction>>;
}

export type NamedTrigger = AutomationTrigger & { event: string; entity_type: string };
export type NamedAction = AutomationAction & { key: string };

/** What rules can start from and do, of all modules: triggers and actions by position. */
export interface AutomationCatalogue {
  entities: ReadonlyMap<string, () => Promise<AutomationEntity>>;
  triggers: ReadonlyMap<string, NamedTrigger>;
  actions: ReadonlyMap<string, NamedAction>;
}

/** What rules can start from and do. */
export const automation = (): AutomationCatalogue => catalogue().automation;

/** The body of an action of automation: its configuration, and the run that calls it. */
export const automationCall = <P extends TProperties>(config: TObject<P>) =>
  Type.Object({
    config,
    trigger: Type.Object({
      event: Type.String(),
      entity_type: Type.String(),
      entity_id: uuid(),
      /** The client of the record that set the rule off, as it was then. */
      company_id: nullable(uuid()),
      payload: json(),
      rule_name: Type.String(),
    }),
  });

/** What an action of automation gives: the result its step shows, and a text where it ran and did not succeed. */
export interface AutomationOutcome {
  result?: Record<string, unknown>;
  failed?: string;
}

/** The outcome of an action whose configuration cannot be used (platform chapter §2.5). */
export const unusableConfig: AutomationOutcome = { failed: "errors.automation_action_config_invalid" };

/** The outcome of an action that left this service and whose node died before it had an answer: whether it was received is not known. */
export const outcomeUnknown: AutomationOutcome = { failed: "errors.automation_outcome_unknown" };
