import { expect } from "chai";
import { advertise } from "../../simulators/google-ads/advertised.ts";
import { SimulatedMutations } from "../../simulators/google-ads/mutations.ts";
import type { Received } from "../../simulators/simulator.ts";
import type { Answer } from "../../support/http.ts";
import { settled } from "../../support/jobs.ts";
import type { Caller } from "../../support/service.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";

/** The service with an advertising provider that can be written to. */
export interface WritesWorld extends AdvertisingWorld {
  mutations: SimulatedMutations;
}

export async function startWrites(environment: Record<string, string> = {}): Promise<WritesWorld> {
  const world = await startAdvertising(environment);
  const mutations = new SimulatedMutations(world.ads);
  const reset = world.reset.bind(world);
  return Object.assign(world, {
    mutations,
    reset() {
      reset();
      mutations.reset();
    },
  });
}

export function ask(
  who: Caller,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  if (method === "GET") return who.get(path, { headers });
  if (method === "DELETE") return who.delete(path, { headers });
  return method === "POST" ? who.post(path, body, { headers }) : who.patch(path, body, { headers });
}

/** A real write, and no validation. */
export const isWrite = ({ path, body }: Received): boolean => path.endsWith(":mutate") && !body.includes('"validateOnly":true');

/** The bodies of the writes that the provider received, oldest first. */
export const sentWrites = ({ ads }: Pick<WritesWorld, "ads">) => ads.received.filter(isWrite).map(({ body }) => JSON.parse(body));

/** An account with a budget in use (1), a free one (11), a campaign (2), an ad group (3), an ad (4), a keyword (5), negatives (6) and a list (7). */
export class AdvertisedAccount {
  readonly own: Advertiser;
  readonly id: string;
  readonly #world: WritesWorld;

  constructor(world: WritesWorld, own: Advertiser, id: string) {
    this.#world = world;
    this.own = own;
    this.id = id;
  }

  /** @param own whose account it is, with a customer that has nothing yet; an organisation of its own without */
  static async make(world: WritesWorld, values: Record<string, unknown> = {}, own?: Advertiser): Promise<AdvertisedAccount> {
    return AdvertisedAccount.#filled(world, values, own ?? (await advertiser(world)));
  }

  static async #filled(world: WritesWorld, values: Record<string, unknown>, own: Advertiser): Promise<AdvertisedAccount> {
    const made = new AdvertisedAccount(world, own, await writtenAccount(world.service, own, values));
    advertise(own.customer);
    return made;
  }

  get customerId(): string {
    return this.own.customer.id;
  }

  path(tail: string): string {
    return `/ads-platform/accounts/${this.id}/${tail}`;
  }

  call(
    method: string,
    tail: string,
    body?: unknown,
    headers: Record<string, string> = {},
    who: Caller = this.own.owner,
  ): Promise<Answer> {
    return ask(who, method, this.path(tail), body, headers);
  }

  /** One of the writes of the list. */
  write({ method, tail, body }: WriteCase, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const query = method === "DELETE" && "validate_only" in more ? `?validate_only=${more.validate_only}` : "";
    return this.call(method, `${tail}${query}`, method === "DELETE" ? undefined : { ...body, ...more }, headers);
  }

  /** Stores the account's own policy. */
  async policy(values: object): Promise<void> {
    const { status, text } = await this.own.owner.put(this.path("policy"), values);
    expect(status, text).to.equal(200);
  }

  /** Makes a call that is refused before any write is sent. @returns the code, the fields and the details of the refusal */
  async refused(method: string, tail: string, body: unknown): Promise<[string, object, object]> {
    const { status, body: answer, text } = await this.call(method, tail, body);
    expect(status, text).to.be.oneOf([404, 409, 422]);
    expect(sentWrites(this.#world), "nothing was sent").to.deep.equal([]);
    return [answer.error.code, answer.error.fields ?? {}, answer.error.details ?? {}];
  }

  async decisions(query = ""): Promise<Record<string, unknown>[]> {
    return (await this.call("GET", `decisions?${query}`)).body.items;
  }

  /** Lines of activity by their action, oldest first. */
  async activity(): Promise<[action: string, payload: unknown][]> {
    const { rows } = await this.#world.service.sql.query(
      "select action, payload from activity where entity_type = 'ads_account' and entity_id = $1 order by created_at, id",
      [this.id],
    );
    return rows.map(({ action, payload }) => [action, payload]);
  }

  async intents(): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#world.service.sql.query(
      "select * from ads_intents where account_id = $1 order by created_at, id",
      [this.id],
    );
    return rows;
  }

  /** Lets minutes pass for the writes that are not settled, and the job that settles them come. */
  settleAfter(minutes: number): Promise<void> {
    return settleAfter(this.#world, minutes, [this.id]);
  }
}

/** The same for several accounts together. */
export async function settleAfter(world: WritesWorld, minutes: number, accountIds: readonly string[]): Promise<void> {
  const { sql } = world.service;
  await sql.query(
    "update ads_intents set created_at = now() - make_interval(mins => $2) where account_id = any($1) and state in ('pending', 'unknown')",
    [accountIds, minutes],
  );
  // A job that is on its way to the queue would miss the call.
  for (let left = 1000; left > 0 && (await sql.query("select 1 from outbox where relayed_at is null")).rowCount; left--)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await sql.query("update jobs.agenda_jobs set next_run_at = now() where name = 'ads.settle'");
  await sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "the test", wakes: [["ads.settle", 0]] })]);
  await settledOf(world);
}

/** Waits until the settling job has run, and schedules the next minute if anything is left. */
async function settledOf({ service }: WritesWorld): Promise<void> {
  const due = "select 1 from jobs.agenda_jobs where name = 'ads.settle' and (next_run_at <= now() or locked_at is not null)";
  const outbox = "select 1 from outbox where relayed_at is null";
  const ordered = "select 1 from jobs.ordered where dead_at is null";
  for (let left = 2000; left > 0; left--) {
    let count = 0;
    for (const text of [due, outbox, ordered]) count += (await service.sql.query(text)).rowCount ?? 0;
    if (count === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the job that settles does not come to an end");
}

export { settled };

/** One writing route. */
export interface WriteCase {
  name: string;
  method: "POST" | "PATCH" | "DELETE";
  tail: string;
  body: Record<string, unknown>;
  status: 200 | 201;
  collection: string;
  activity: string;
  /** The record of each operation, with `{id}` for the id of the created object. */
  decisions: { decision: string; subject_type: string; subject: string; scope: string }[];
  isPaused?: true;
}

const AD = {
  ad_group_id: "3",
  headlines: ["Fresh bread", "Baked today", "Order online"],
  descriptions: ["The best bread of the city.", "Delivered before seven."],
  final_urls: ["https://bakery.example/"],
};
const decision = (word: string, subject_type: string, subject: string, scope: string) => ({
  decision: word,
  subject_type,
  subject,
  scope,
});

/** Every writing route (marketing-ads §3.10). */
export const WRITES: readonly WriteCase[] = [
  {
    name: "POST budgets",
    method: "POST",
    tail: "budgets",
    body: { name: "Summer", amount: 12.5 },
    status: 201,
    collection: "campaignBudgets",
    activity: "ads.budget_created",
    decisions: [decision("created", "budget", "Summer", "account")],
  },
  {
    name: "PATCH budgets",
    method: "PATCH",
    tail: "budgets/1",
    body: { amount: 15 },
    status: 200,
    collection: "campaignBudgets",
    activity: "ads.budget_changed",
    decisions: [decision("budget_changed", "budget", "In use", "account")],
  },
  {
    name: "DELETE budgets",
    method: "DELETE",
    tail: "budgets/11",
    body: {},
    status: 200,
    collection: "campaignBudgets",
    activity: "ads.budget_removed",
    decisions: [decision("removed", "budget", "Free", "account")],
  },
  {
    name: "POST campaigns",
    method: "POST",
    tail: "campaigns",
    body: { name: "Cake", budget_id: "11" },
    status: 201,
    collection: "campaigns",
    activity: "ads.campaign_created",
    decisions: [decision("created", "campaign", "Cake", "campaign:{id}")],
    isPaused: true,
  },
  {
    name: "PATCH campaigns",
    method: "PATCH",
    tail: "campaigns/2",
    body: { status: "enabled" },
    status: 200,
    collection: "campaigns",
    activity: "ads.campaign_changed",
    decisions: [decision("enabled", "campaign", "Bread", "campaign:2")],
  },
  {
    name: "DELETE campaigns",
    method: "DELETE",
    tail: "campaigns/2",
    body: {},
    status: 200,
    collection: "campaigns",
    activity: "ads.campaign_removed",
    decisions: [decision("removed", "campaign", "Bread", "campaign:2")],
  },
  {
    name: "POST ad-groups",
    method: "POST",
    tail: "ad-groups",
    body: { name: "Rye", campaign_id: "2", cpc_bid: 0.75 },
    status: 201,
    collection: "adGroups",
    activity: "ads.ad_group_created",
    decisions: [decision("created", "ad_group", "Rye", "ad_group:{id}")],
    isPaused: true,
  },
  {
    name: "PATCH ad-groups",
    method: "PATCH",
    tail: "ad-groups/3",
    body: { cpc_bid: 0.8 },
    status: 200,
    collection: "adGroups",
    activity: "ads.ad_group_changed",
    decisions: [decision("bid_changed", "ad_group", "White", "ad_group:3")],
  },
  {
    name: "DELETE ad-groups",
    method: "DELETE",
    tail: "ad-groups/3",
    body: {},
    status: 200,
    collection: "adGroups",
    activity: "ads.ad_group_removed",
    decisions: [decision("removed", "ad_group", "White", "ad_group:3")],
  },
  {
    name: "POST ads",
    method: "POST",
    tail: "ads",
    body: AD,
    status: 201,
    collection: "adGroupAds",
    activity: "ads.ad_created",
    decisions: [decision("created", "ad", "Fresh bread", "ad_group:3")],
    isPaused: true,
  },
  {
    name: "PATCH ads",
    method: "PATCH",
    tail: "ads",
    body: { ad_group_id: "3", ad_id: "4", status: "Enabled" },
    status: 200,
    collection: "adGroupAds",
    activity: "ads.ad_changed",
    decisions: [decision("enabled", "ad", "Warm rolls", "ad_group:3")],
  },
  {
    name: "DELETE ads",
    method: "DELETE",
    tail: "ad-groups/3/ads/4",
    body: {},
    status: 200,
    collection: "adGroupAds",
    activity: "ads.ad_removed",
    decisions: [decision("removed", "ad", "Warm rolls", "ad_group:3")],
  },
  {
    name: "POST keywords",
    method: "POST",
    tail: "keywords",
    body: { ad_group_id: "3", keywords: [{ text: "rye bread" }, { text: "spelt", match_type: "exact", cpc_bid: 0.5 }] },
    status: 201,
    collection: "adGroupCriteria",
    activity: "ads.keywords_added",
    decisions: [decision("added", "keyword", "rye bread", "ad_group:3"), decision("added", "keyword", "spelt", "ad_group:3")],
    isPaused: true,
  },
  {
    name: "PATCH keywords",
    method: "PATCH",
    tail: "keywords",
    body: { ad_group_id: "3", criterion_id: "5", status: "ENABLED" },
    status: 200,
    collection: "adGroupCriteria",
    activity: "ads.keyword_changed",
    decisions: [decision("enabled", "keyword", "white bread", "ad_group:3")],
  },
  {
    name: "POST keywords/remove",
    method: "POST",
    tail: "keywords/remove",
    body: { ad_group_id: "3", criterion_ids: ["5"] },
    status: 200,
    collection: "adGroupCriteria",
    activity: "ads.keywords_removed",
    decisions: [decision("removed", "keyword", "white bread", "ad_group:3")],
  },
  {
    name: "POST negatives",
    method: "POST",
    tail: "negatives",
    body: {
      parent_id: "2",
      terms: [
        { text: "cheap", reason: "no margin" },
        { text: "jobs", match_type: "BROAD" },
      ],
    },
    status: 201,
    collection: "campaignCriteria",
    activity: "ads.negatives_added",
    decisions: [
      decision("excluded", "search_term", "cheap", "campaign:2"),
      decision("excluded", "search_term", "jobs", "campaign:2"),
    ],
  },
  {
    name: "POST negatives/remove",
    method: "POST",
    tail: "negatives/remove",
    body: { level: "shared_set", parent_id: "7", criterion_ids: ["6"] },
    status: 200,
    collection: "sharedCriteria",
    activity: "ads.negatives_removed",
    decisions: [decision("kept", "search_term", "free", "shared_set:7")],
  },
  {
    name: "POST negative-lists",
    method: "POST",
    tail: "negative-lists",
    body: { name: "Competitors" },
    status: 201,
    collection: "sharedSets",
    activity: "ads.negative_list_created",
    decisions: [decision("created", "keyword", "Competitors", "shared_set:{id}")],
  },
  {
    name: "DELETE negative-lists",
    method: "DELETE",
    tail: "negative-lists/7",
    body: {},
    status: 200,
    collection: "sharedSets",
    activity: "ads.negative_list_removed",
    decisions: [decision("removed", "keyword", "Never", "shared_set:7")],
  },
];
