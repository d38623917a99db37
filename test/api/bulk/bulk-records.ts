import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { recordEvents } from "../../support/answers.ts";
import type { Answer } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { freshName } from "../assets/site-records.ts";
import { Invoicing } from "../money/documents/invoicing.ts";
import { type Body, bodyOf } from "../work/tasks/task-records.ts";

/** The kinds of records that are changed or deleted many at once, each with where its rows are read. */
export const PATHS = {
  company: "/companies",
  contact: "/contacts",
  domain: "/domains",
  interaction: "/interactions",
  invoice: "/invoicing/invoices",
  project: "/projects",
  subscription: "/subscriptions",
  task: "/tasks",
  uptime_monitor: "/uptime/monitors",
  website: "/websites",
} as const;
export type Kind = keyof typeof PATHS;
export const KINDS = Object.keys(PATHS) as Kind[];

/** A change of each kind with updates, for any rows. */
export const CHANGES: Partial<Record<Kind, Record<string, string>>> = {
  company: { status: "offboarding" },
  contact: { company: "Destination" },
  domain: { status: "parked" },
  project: { status: "on_hold" },
  subscription: { status: "paused" },
  task: { priority: "low" },
  uptime_monitor: { company: "Destination" },
  website: { uptime_enabled: "nee" },
};

/** The shared service, which keeps every event. */
export async function bulkService(): Promise<TestService> {
  const service = await sharedService();
  await recordEvents(service);
  return service;
}

/** The records of one organisation, created by its owner. */
export class Records {
  readonly service: TestService;
  readonly tenant: Tenant;
  #money: Promise<Invoicing> | undefined;

  constructor(service: TestService, tenant: Tenant) {
    this.service = service;
    this.tenant = tenant;
  }

  async #post(path: string, body: object): Promise<Body> {
    return bodyOf(await this.tenant.owner.post(path, body));
  }

  /** What invoices need: rates, and a client. */
  money = (): Promise<Invoicing> => (this.#money ??= Invoicing.open(this.service, this.tenant));

  company = (values: object = {}): Promise<Body> => this.#post("/companies", { name: `Client ${randomUUID()}`, ...values });

  /** Creates a record of a kind for a client, by default a new one. */
  async make(kind: Kind, values: Record<string, unknown> = {}): Promise<Body> {
    const company_id = (values["company_id"] as string | undefined) ?? (await this.company()).id;
    switch (kind) {
      case "company":
        return this.company(values);
      case "contact":
        return this.#post("/contacts", { first_name: "Kees", company_ids: [company_id], ...values });
      case "domain":
        return this.#post("/domains", { name: freshName(), company_id, ...values });
      case "interaction":
        return this.#post("/interactions", { kind: "call", subject: "Called", company_id, ...values });
      case "invoice": {
        const money = await this.money();
        return this.#post(PATHS.invoice, { company_id, lines: [money.line(1, "100.00")], ...values });
      }
      case "project":
        return this.#post("/projects", { name: "Website", company_id, ...values });
      case "subscription":
        return this.#post("/subscriptions", {
          name: "Hosting",
          amount: "90.00",
          start_date: "2026-01-15",
          company_id,
          ...values,
        });
      case "task":
        return this.#post("/tasks", { title: "Write the letter", company_id, ...values });
      case "uptime_monitor": {
        const instance = await this.#post("/uptime/instances", { name: `Server ${randomUUID()}`, mode: "linked" });
        const watched = { instance_id: instance.id, remote_id: 1, name: "Shop", target: "https://shop.example/" };
        return this.#post("/uptime/monitors", { ...watched, company_id, ...values });
      }
      case "website": {
        const domain = await this.#post("/domains", { name: freshName(), company_id });
        return this.#post("/websites", { domain_id: domain.id, uptime_enabled: true });
      }
    }
  }

  async ids(kind: Kind, count: number, values: Record<string, unknown> = {}): Promise<string[]> {
    const made: string[] = [];
    for (let n = 0; n < count; n++) made.push((await this.make(kind, values)).id);
    return made;
  }

  read = async (kind: Kind, id: string): Promise<Body> => bodyOf(await this.tenant.owner.get(`${PATHS[kind]}/${id}`));
  isThere = async (kind: Kind, id: string): Promise<boolean> =>
    (await this.tenant.owner.get(`${PATHS[kind]}/${id}`)).status === 200;

  /** The actions in the trail of a record, oldest first. */
  async trail(kind: Kind, id: string): Promise<string[]> {
    const { rows } = await this.service.sql.query(
      "select action from activity where entity_type = $1 and entity_id = $2 order by created_at, id",
      [kind, id],
    );
    return rows.map(({ action }) => action);
  }
}

export const update = (by: Caller, kind: Kind, ids: string[], values: object, headers: Record<string, string> = {}) =>
  by.post(`/bulk/${kind}/update`, { ids, values }, { headers });
export const remove = (by: Caller, kind: Kind, ids: string[], headers: Record<string, string> = {}) =>
  by.post(`/bulk/${kind}/delete`, { ids }, { headers });

/** Expects a call that was done: how many rows succeeded, and the others with their keys, in order. */
export function expectDone(answer: Answer, succeeded: number, failed: [id: string, error: string][] = []): void {
  expect([answer.status, answer.body], answer.text).to.deep.equal([
    200,
    { succeeded, failed: failed.map(([id, error]) => ({ id, error })) },
  ]);
}

/** Expects a call that was refused as a whole: the key of each field, the first one's as the message. */
export function expectRefused({ status, body }: Answer, fields: Record<string, string>): void {
  expect([status, body.error]).to.deep.equal([422, { code: "validation", message: Object.values(fields)[0], fields }]);
}
