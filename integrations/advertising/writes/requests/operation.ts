import type { DecisionWord, SubjectType } from "../../decisions/words.ts";

/** One operation of a mutate call; exactly one of `create`, `update` and `remove` is set. */
export interface Operation {
  create?: Readonly<Record<string, unknown>>;
  update?: Readonly<Record<string, unknown>>;
  /** Comma-separated lowerCamelCase keys of `update`, without `resourceName`. */
  updateMask?: string;
  remove?: string;
}

/** Collections that writes change. */
export type Collection =
  | "adGroupAds"
  | "adGroupCriteria"
  | "adGroups"
  | "campaignBudgets"
  | "campaignCriteria"
  | "campaignSharedSets"
  | "campaigns"
  | "sharedCriteria"
  | "sharedSets";

/** Placeholder in a decision's subject and scope for the id of the created object. */
export const NEW_ID = "{id}";

/** The decision to record when the operation is applied. */
export interface PlannedDecision {
  subject_type: SubjectType;
  subject: string;
  scope: string;
  decision: DecisionWord;
  reason: string;
  payload: Record<string, unknown>;
  /** Set for a mere rename: decisions have no word for it, so only the activity shows it. */
  isUnrecorded?: true;
}

/** An operation with the decision to record once it is applied. */
export interface Planned {
  /** Index of the operation's subject in the caller's request. */
  index: number;
  operation: Operation;
  decision: PlannedDecision;
  /** Values of the object when it was read before the write, as the provider names them. */
  before?: Readonly<Record<string, unknown>>;
}

export const create = (values: Record<string, unknown>): Operation => ({ create: values });
export const remove = (resourceName: string): Operation => ({ remove: resourceName });
export const update = (resourceName: string, values: Record<string, unknown>): Operation => ({
  update: { resourceName, ...values },
  updateMask: Object.keys(values).join(","),
});

/** A resource name; composite ids are joined with `~`. */
export const resourceName = (customerId: string, collection: string, ...ids: readonly string[]): string =>
  `customers/${customerId}/${collection}/${ids.join("~")}`;

/** The last id in a resource name: `9` in `customers/1/adGroupAds/5~9`. */
export const lastId = (name: string): string => /[^/~]*$/.exec(name)?.[0] ?? "";

/** The decision of an applied operation. @param name resource name of the created or changed object */
export function decided({ decision, operation }: Pick<Planned, "decision" | "operation">, name: string | null): PlannedDecision {
  const id = name === null ? "" : lastId(name);
  const filled = (text: string) => (operation.create ? text.replaceAll(NEW_ID, id) : text);
  return {
    ...decision,
    subject: filled(decision.subject),
    scope: filled(decision.scope),
    payload: { ...decision.payload, ...(name !== null && { id, resource_name: name }) },
  };
}
