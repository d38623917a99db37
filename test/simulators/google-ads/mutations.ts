import type { Reply } from "../simulator.ts";
import { type ClientType, recordChange } from "./change-history.ts";
import type { AdsRequest, GoogleAdsSimulator } from "./google-ads.ts";
import { adsError, failureDetail, type SimulatedError } from "./replies.ts";
import type { SimulatedCustomer } from "./state.ts";

type Values = Record<string, unknown>;

/** One operation as received. */
export interface SimulatedOperation {
  create?: Values;
  update?: Values;
  updateMask?: string;
  remove?: string;
}

/** Rejects an operation, or returns null to accept it. */
export type Refusing = (collection: string, operation: SimulatedOperation, index: number) => SimulatedError | null;

/** An executed change, in the order of the changes. */
export interface Carried {
  customer: string;
  collection: string;
  operation: SimulatedOperation;
  resourceName: string;
}

const RESOURCES: Readonly<Record<string, string>> = {
  adGroupAds: "ad_group_ad",
  adGroupCriteria: "ad_group_criterion",
  adGroups: "ad_group",
  campaignBudgets: "campaign_budget",
  campaignCriteria: "campaign_criterion",
  campaignSharedSets: "campaign_shared_set",
  campaigns: "campaign",
  sharedCriteria: "shared_criterion",
  sharedSets: "shared_set",
};
/** The parent's field, for ids of two parts. */
const PARENTS: Readonly<Record<string, readonly [field: string, resource: string]>> = {
  adGroupAds: ["adGroup", "ad_group"],
  adGroupCriteria: ["adGroup", "ad_group"],
  campaignCriteria: ["campaign", "campaign"],
  campaignSharedSets: ["campaign", "campaign"],
  sharedCriteria: ["sharedSet", "shared_set"],
};
const DUPLICATES: Readonly<Record<string, SimulatedError>> = {
  campaignBudgets: { group: "campaignBudgetError", value: "DUPLICATE_NAME" },
  campaigns: { group: "campaignError", value: "DUPLICATE_CAMPAIGN_NAME" },
  adGroups: { group: "adGroupError", value: "DUPLICATE_ADGROUP_NAME" },
  sharedSets: { group: "sharedSetError", value: "DUPLICATE_NAME" },
};
const MISSING: SimulatedError = { group: "mutateError", value: "RESOURCE_NOT_FOUND" };

class Refused extends Error {
  readonly error: SimulatedError;
  constructor(error: SimulatedError) {
    super(error.value);
    this.error = error;
  }
}

/** Writes of the simulated provider: they change its state, all together or one by one. */
export class SimulatedMutations {
  /** Executed changes, oldest first. */
  readonly carried: Carried[] = [];
  /** Number of validate-only requests. */
  validations = 0;
  /** Whether changes come into the provider's change history; it may be late. */
  keepsHistory = true;
  #refusing: Refusing | null = null;
  #wholly: SimulatedError | null = null;
  #next = 9_000_000_000;

  constructor(ads: GoogleAdsSimulator) {
    ads.serve("mutate", (request) => (RESOURCES[request.collection] ? this.#mutate(request) : null));
  }

  reset(): void {
    this.carried.length = 0;
    this.validations = 0;
    this.keepsHistory = true;
    this.#refusing = null;
    this.#wholly = null;
  }

  /** Changes an object on the provider's own pages. */
  changeElsewhere(customer: SimulatedCustomer, collection: string, id: string, values: Values): void {
    const name = `${customer.resourceName}/${collection}/${id}`;
    const operation = { update: { resourceName: name, ...values }, updateMask: Object.keys(values).join(",") };
    this.#recorded(customer, collection, operation, "GOOGLE_ADS_WEB_CLIENT");
  }

  /** Executes an operation and records it in the change history. @returns the resource name */
  #recorded(customer: SimulatedCustomer, collection: string, operation: SimulatedOperation, client: ClientType): string {
    const resource = RESOURCES[collection] as string;
    const before = { ...customer.object(resource, String(operation.remove ?? operation.update?.["resourceName"])) };
    const name = this.#carryOut(customer, collection, operation);
    if (this.keepsHistory) recordChange(customer, resource, { ...operation, name, before, client });
    return name;
  }

  /** Rejects operations of later calls. */
  refuse(refusing: Refusing | null): void {
    this.#refusing = refusing;
  }

  /** Makes later calls fail without naming the operation. */
  refuseWithoutIndex(error: SimulatedError | null): void {
    this.#wholly = error;
  }

  #mutate({ customer, collection, json }: AdsRequest): Reply {
    const operations = (json["operations"] ?? []) as SimulatedOperation[];
    const [isValidation, isPartial] = [json["validateOnly"] === true, json["partialFailure"] === true];
    const before = structuredClone(customer.objects);
    const restore = () => {
      customer.objects.clear();
      for (const [resource, objects] of before) customer.objects.set(resource, objects);
    };
    const errors: SimulatedError[] = [];
    const done: Carried[] = [];
    const results = operations.map((operation, index) => {
      try {
        const refused = this.#refusing?.(collection, operation, index) ?? null;
        if (refused) throw new Refused(refused);
        const resourceName = this.#recorded(customer, collection, operation, "GOOGLE_ADS_API");
        done.push({ customer: customer.id, collection, operation, resourceName });
        return { resourceName };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        errors.push({ operation: index, ...error.error });
        return {};
      }
    });
    if (this.#wholly) {
      restore();
      if (!isPartial) return adsError(400, this.#wholly);
      return partial(
        operations.map(() => ({})),
        [this.#wholly],
      );
    }
    if (errors[0] && !isPartial) {
      restore();
      return adsError(400, errors[0]);
    }
    if (isValidation) {
      restore();
      this.validations += 1;
      return errors.length > 0 ? partial([], errors) : { status: 200, body: {} };
    }
    this.carried.push(...done);
    return errors.length > 0 ? partial(results, errors) : { status: 200, body: { results } };
  }

  #carryOut(customer: SimulatedCustomer, collection: string, { create, update, updateMask, remove }: SimulatedOperation): string {
    const resource = RESOURCES[collection] as string;
    if (create) return this.#create(customer, collection, resource, create);
    const name = String(remove ?? update?.["resourceName"]);
    const object = customer.object(resource, name);
    if (!object || object["status"] === "REMOVED") throw new Refused(MISSING);
    if (remove !== undefined) removeFrom(customer, resource, name, object);
    else for (const field of (updateMask ?? "").split(",")) object[field] = (update as Values)[field];
    return name;
  }

  #create(customer: SimulatedCustomer, collection: string, resource: string, values: Values): string {
    const all = [...(customer.objects.get(resource)?.values() ?? [])].filter(({ status }) => status !== "REMOVED");
    const parent = PARENTS[collection];
    for (const [field, value] of Object.entries(values)) {
      const other = /^customers\/\d+\/(\w+)\//.exec(typeof value === "string" ? value : "")?.[1];
      const found = other && customer.object(RESOURCES[other] as string, String(value));
      if (other && (!found || found["status"] === "REMOVED")) throw new Refused({ ...MISSING, message: `no ${field}` });
    }
    const isNamesake = (one: Values) => one["name"] === values["name"] && one["campaign"] === values["campaign"];
    if (DUPLICATES[collection] && all.some(isNamesake)) throw new Refused(DUPLICATES[collection]);
    if (collection === "campaigns") refer(customer, String(values["campaignBudget"]), 1);
    const id = String(++this.#next);
    const { keyword, ad } = values as { keyword?: Values; ad?: Values };
    const own = {
      ...(keyword || collection === "campaignSharedSets" ? {} : { id }),
      ...(keyword && { criterionId: id, type: "KEYWORD" }),
      ...(collection === "campaignBudgets" && { referenceCount: "0" }),
      status: "ENABLED",
      ...values,
      ...(ad && { ad: { ...ad, id } }),
    } as Values;
    if (ad) delete own["id"];
    if (collection === "sharedCriteria") delete own["status"];
    const idOf = (name: unknown) => String(name).split("/").at(-1);
    const last = collection === "campaignSharedSets" ? idOf(values["sharedSet"]) : id;
    const composite = parent ? `${idOf(values[parent[0]])}~${last}` : id;
    return customer.put(resource, `${collection}/${composite}`, own);
  }
}

const partial = (results: Values[], errors: SimulatedError[]): Reply => ({
  status: 200,
  body: {
    ...(results.length > 0 && { results }),
    partialFailureError: { code: 3, message: "Multiple errors in ‘details’.", details: [failureDetail(errors)] },
  },
});

function refer(customer: SimulatedCustomer, budget: string, by: number): void {
  const found = customer.object("campaign_budget", budget);
  if (found) found["referenceCount"] = String(Number(found["referenceCount"] ?? 0) + by);
}

function removeFrom(customer: SimulatedCustomer, resource: string, name: string, object: Values): void {
  if (resource === "campaign_budget" && Number(object["referenceCount"] ?? 0) > 0)
    throw new Refused({ group: "campaignBudgetError", value: "CAMPAIGN_BUDGET_IN_USE" });
  if (resource === "campaign") refer(customer, String(object["campaignBudget"]), -1);
  if (resource.endsWith("_criterion") || resource === "campaign_shared_set") customer.objects.get(resource)?.delete(name);
  else object["status"] = "REMOVED";
}
