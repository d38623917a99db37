import type { DecisionWord, SubjectType } from "../../decisions/words.ts";

/** One operation of a mutate call: exactly one of the three. */
export interface Operation {
  create?: Readonly<Record<string, unknown>>;
  update?: Readonly<Record<string, unknown>>;
  /** Lower camel case keys of `update`, without its `resourceName`, with commas between them. */
  updateMask?: string;
  /** A resource name. */
  remove?: string;
}

/** Collections that are written. */
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

/** In subject and scope of a decision: the id of what the operation creates. */
export const NEW_ID = "{id}";

/** The decision that an applied operation is recorded as. */
export interface PlannedDecision {
  subject_type: SubjectType;
  subject: string;
  scope: string;
  decision: DecisionWord;
  reason: string;
  payload: Record<string, unknown>;
  /** Of a mere change of name, for which decisions have no word: only the activity shows it. */
  isUnrecorded?: true;
}

/** An operation with what is recorded of it once it is applied. */
export interface Planned {
  /** The place of what it is about in the caller's request. */
  index: number;
  operation: Operation;
  decision: PlannedDecision;
}

export const create = (values: Record<string, unknown>): Operation => ({ create: values });
export const remove = (resourceName: string): Operation => ({ remove: resourceName });
export const update = (resourceName: string, values: Record<string, unknown>): Operation => ({
  update: { resourceName, ...values },
  updateMask: Object.keys(values).join(","),
});

/** A resource name; ids of several parts are joined with `~`. */
export const resourceName = (customerId: string, collection: string, ...ids: readonly string[]): string =>
  `customers/${customerId}/${collection}/${ids.join("~")}`;

/** The last id of a resource name: `9` of `customers/1/adGroupAds/5~9`. */
export const lastId = (name: string): string => /[^/~]*$/.exec(name)?.[0] ?? "";

/** The decision of an applied operation. @param name of what it created or changed */
export function decided({ decision, operation }: Pick<Planned, "decision" | "operation">, name: string | null): PlannedDecision {
  const id = name === null ? "" : lastId(name);
  const filled = (text: string) => (operation.create ? text.replaceAll(NEW_ID, id) : text);
  return {
    ...decision,
    subject: filled(decision.subject),
    scope: filled(decision.scope),
    payload: { ...decision.payload, ...(name !== null && { resource_name: name }) },
  };
}
