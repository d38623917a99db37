import { setTimeout as delay } from "node:timers/promises";
import { type Seeded, seeded } from "../../support/lists/seeded.ts";
import { Journal } from "./journal.ts";
import type { Office } from "./office.ts";

/** Pause between two steps of a client, in milliseconds. */
const THINKS = [100, 500] as const;

/** A client of the API, with a journal: it makes and changes clients, logs time, invoices, collects, exports and looks around. */
export class Client {
  readonly journal: Journal;
  readonly office: Office;
  /** The state of each of its clients, as last acknowledged, by id. */
  readonly companies = new Map<string, { name: string; city: string }>();
  /** Descriptions of its hours, by id. */
  readonly hours = new Map<string, string>();
  /** Its documents by id: their number once issued, and what was paid. */
  readonly invoices = new Map<string, { number: string | null; paid: number }>();
  exports = 0;
  readonly #name: string;
  readonly #random: Seeded;
  #next = 0;

  constructor(office: Office, n: number, seed: number, key: string) {
    this.#name = `${office.tenant.organisation.slug}-${n}`;
    this.office = office;
    this.#random = seeded(seed * 1000 + n);
    this.journal = new Journal(this.#name, office.port, { host: office.tenant.host, key });
  }

  /** Works until it is over, and finishes the step that it is in. */
  async work(isOver: () => boolean): Promise<void> {
    const { weighed, random } = this.#random;
    await this.#open();
    while (!isOver()) {
      const step = weighed([
        [() => this.#open(), 0.15],
        [() => this.#change(), 0.25],
        [() => this.#log(), 0.2],
        [() => this.#invoice(), 0.15],
        [() => this.#export(), 0.05],
        [() => this.#look(), 0.1],
        [() => this.#again(), 0.1],
      ]);
      await step().catch((error: Error) => this.journal.unexpected.push(`${this.#name}: ${error.message}`));
      await delay(THINKS[0] + random() * (THINKS[1] - THINKS[0]));
    }
  }

  #some<T>(of: ReadonlyMap<string, T>): [string, T] {
    return this.#random.pick([...of]);
  }

  async #open(): Promise<void> {
    const name = `${this.#name} client ${this.#next++}`;
    const made = await this.journal.write("POST", "/companies", { name, country: "NL" });
    if (made) this.companies.set(made.id, { name, city: "" });
  }

  async #change(): Promise<void> {
    const [id, state] = this.#some(this.companies);
    const city = `City ${this.#next++}`;
    if (await this.journal.write("PATCH", `/companies/${id}`, { city })) state.city = city;
  }

  async #log(): Promise<void> {
    const [company_id] = this.#some(this.companies);
    const description = `${this.#name} hour ${this.#next++}`;
    const day = `2026-0${1 + Math.floor(this.#random.random() * 9)}-1${Math.floor(this.#random.random() * 10)}`;
    const entry = { company_id, description, started_at: `${day}T09:00:00Z`, minutes: 30 };
    const made = await this.journal.write("POST", "/time/entries", entry);
    if (made) this.hours.set(made.id, description);
  }

  /** Drafts, issues and collects: by hand, or by the provider. */
  async #invoice(): Promise<void> {
    const { journal, office } = this;
    const [company_id] = this.#some(this.companies);
    const lines = [{ description: `${this.#name} work ${this.#next++}`, quantity: 1, unit_price: 100 }];
    const draft = await journal.write("POST", "/invoicing/invoices", { company_id, lines });
    if (!draft) return;
    const state = { number: null, paid: 0 } as { number: string | null; paid: number };
    this.invoices.set(draft.id, state);
    const path = `/invoicing/invoices/${draft.id}`;
    const issued = await journal.write("POST", `${path}/issue`, {});
    if (!issued) return;
    state.number = issued.number;
    if (this.#random.random() < 0.5) {
      if (await journal.write("POST", `${path}/payments`, { paid_on: "2026-06-01", amount: "21.00" })) state.paid = 21;
    } else {
      const attempt = await journal.write("POST", `${path}/payment-intents`, { account_id: office.account });
      if (!attempt) return;
      await office.pay(attempt.id);
      state.paid = 121;
    }
  }

  async #export(): Promise<void> {
    const known = [...this.companies.values()].map(({ name }) => name);
    const { status, text } = await this.journal.read("/impex/company?format=csv");
    if (status !== 200) return;
    this.exports += 1;
    const lost = known.filter((name) => !text.includes(name));
    if (lost.length > 0)
      this.journal.unexpected.push(`lost: the export lacks ${lost.length} acknowledged clients, such as ${lost[0]}`);
    const foreign = this.office.others.find(({ tenant }) => text.includes(`${tenant.organisation.slug}-`));
    if (foreign) this.journal.unexpected.push(`leaked: the export has a client of ${foreign.tenant.organisation.slug}`);
  }

  /** Reads a client of its own, which must be as acknowledged, and one of another organisation, which must not be there. */
  async #look(): Promise<void> {
    const { journal, office } = this;
    const [id, { name, city }] = this.#some(this.companies);
    const { body } = await journal.read(`/companies/${id}`);
    if (body?.name !== name || (body.city ?? "") !== city)
      journal.unexpected.push(`lost: ${name} is in '${body?.city}', not in '${city}' as acknowledged`);
    const foreign = this.#random.pick(office.others)?.clients.find(({ companies }) => companies.size > 0);
    if (!foreign) return;
    const [other] = this.#some(foreign.companies);
    const { status } = await journal.read(`/companies/${other}`, 404);
    if (status === 200) journal.unexpected.push(`leaked: ${other} of another organisation is shown`);
  }

  async #again(): Promise<void> {
    await this.journal.again(this.#random.pick(this.journal.writes));
  }
}
