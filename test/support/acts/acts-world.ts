import type pg from "pg";
import { MailedDocuments } from "../../api/money/mails/mailed-documents.ts";
import { AnthropicSimulator } from "../../simulators/ai/anthropic.ts";
import { EdgeSimulator } from "../../simulators/edge.ts";
import { MollieSimulator } from "../../simulators/payment.ts";
import { OxxaSimulator } from "../../simulators/registrar.ts";
import type { Received, Simulator } from "../../simulators/simulator.ts";
import type { Answer } from "../http.ts";
import { Mailbox, relayOf } from "../mail/mailbox.ts";

/** Calls the service as one member. */
export type Ask = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>;

/** A request that acts at a provider and then records the act. */
export interface ActingCall {
  name: "edge" | "registrar" | "payments" | "AI" | "mail";
  path: string;
  body: object;
  status: number;
  /** Number of acts the provider has received. */
  acts(): number;
  /** The simulator and which of its requests are the act; null for mail, which a relay accepts. */
  provider: { simulator: Simulator; isAct: (request: Received) => boolean } | null;
  /** Records of the act: activity lines, or other rows. */
  recorded(): Promise<unknown[]>;
  expected: unknown[];
}

const HOSTS = ["ns1.new.nl", "ns2.new.nl"];

/** One provider of each kind, and an organisation that uses all of them. */
export class ActsWorld {
  readonly edge = new EdgeSimulator();
  readonly registrar = new OxxaSimulator();
  readonly payments = new MollieSimulator();
  readonly ai = new AnthropicSimulator();
  readonly mailbox = new Mailbox();
  #rounds = 0;

  async start(): Promise<void> {
    await Promise.all([this.edge, this.registrar, this.payments, this.ai, this.mailbox].map((one) => one.start()));
  }

  async stop(): Promise<void> {
    await Promise.all([this.edge, this.registrar, this.payments, this.ai, this.mailbox].map((one) => one.stop()));
  }

  get environment(): Record<string, string> {
    return {
      ...relayOf(this.mailbox),
      SERVICE_EDGE_API_URL: this.edge.root,
      SERVICE_REGISTRAR_API_URL: this.registrar.root,
      SERVICE_PAYMENT_API_ROOT: this.payments.root,
      SERVICE_AI_ANTHROPIC_API_URL: this.ai.baseUrl,
      SERVICE_JOBS_POLL_MS: "250",
    };
  }

  get complaints(): string[] {
    return [this.edge, this.registrar, this.payments, this.ai].flatMap(({ complaints }) => complaints);
  }

  /** Sets up the organisation once, through the API and, where that is impossible, by SQL. */
  async settle(ask: Ask): Promise<void> {
    const must = async (method: string, path: string, body?: object) => {
      const answer = await ask(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    };
    const edgeId = this.edge.state.account("Agency").id;
    await must("POST", "/edge/accounts", { name: "Edge", api_token: "tok-0123456789abcdef0123", edge_account_id: edgeId });
    const { user: api_user, password: api_password } = this.registrar;
    const { id } = await must("POST", "/registrar/accounts", { name: "Register", api_user, api_password });
    await must("POST", `/registrar/accounts/${id}/verify`);
    await must("POST", "/invoicing/payment-accounts", { label: "Payments", api_key: "live_0123456789abcdef01234567" });
    await must("PUT", "/ai/settings", { provider: "anthropic", api_key: this.ai.key });
  }

  /** Calls that each act at one provider, on rows of their own. */
  async calls(sql: pg.ClientBase, organisation: string, ask: Ask): Promise<ActingCall[]> {
    const round = ++this.#rounds;
    const one = async (text: string, values: unknown[]) => (await sql.query(text, values)).rows[0];
    const company: string = (await ask("POST", "/companies", { name: `Client ${round}` })).body.id;
    const domain = async (name: string): Promise<string> =>
      (
        await one(
          `insert into domains (id, organisation_id, company_id, name, label, tld, start_date)
           values (gen_random_uuid(), $1, $2, $3, $3, split_part($3, '.', 2), '2026-01-01') returning id`,
          [organisation, company, name],
        )
      ).id;
    const trail = async (id: string) =>
      (await sql.query("select action from activity where entity_id = $1 order by created_at, id", [id])).rows.map(
        ({ action }) => action,
      );

    const zoneName = `z${round}.example`;
    const zoneDomain = await domain(zoneName);
    const edgeZone = this.edge.state.zone(this.edge.state.accounts[0]?.id as string, zoneName);
    const { id: zone } = await one(
      `insert into edge_zones (id, organisation_id, account_id, edge_zone_id, name, status, name_servers, domain_id)
       select gen_random_uuid(), $1, a.id, $2, $3, 'active', $4, $5 from edge_accounts a where a.organisation_id = $1 returning id`,
      [organisation, edgeZone.id, zoneName, edgeZone.name_servers, zoneDomain],
    );
    const record = { type: "A", name: `www.${zoneName}`, content: "192.0.2.1" };

    const registered = `r${round}.nl`;
    const registeredDomain = await domain(registered);
    this.registrar.register({ name: registered, nsgroup: this.registrar.group(["ns1.old.nl"]), expires: "2027-03-01" });
    const isPush = ({ query }: Received) => query.get("command") === "domain_ns_upd";
    const pushed = () => this.registrar.received.filter((sent) => isPush(sent) && sent.query.get("sld") === `r${round}`);

    const documents = new MailedDocuments({ sql } as never, organisation, company);
    const number = (what: string) => `${what}-${round}`;
    const [toPay, toSend] = [await documents.invoice({ number: number("P") }), await documents.invoice({ number: number("S") })];
    const to = `client${round}@noord.test`;
    const asked = this.ai.heard.length;
    const isPost = ({ method }: Received) => method === "POST";

    return [
      {
        name: "edge",
        path: `/edge/zones/${zone}/dns`,
        body: record,
        status: 201,
        acts: () => this.edge.received.filter((sent) => isPost(sent) && sent.path.includes(edgeZone.id)).length,
        provider: { simulator: this.edge, isAct: isPost },
        recorded: () => trail(zoneDomain),
        expected: ["edge.dns_record_created"],
      },
      {
        name: "registrar",
        path: `/registrar/domains/${registeredDomain}/nameservers`,
        body: { nameservers: HOSTS },
        status: 200,
        acts: () => pushed().length,
        provider: { simulator: this.registrar, isAct: isPush },
        recorded: () => trail(registeredDomain),
        expected: ["registrar.nameservers_pushed"],
      },
      {
        name: "payments",
        path: `/invoicing/invoices/${toPay}/payment-intents`,
        body: {},
        status: 200,
        acts: () =>
          [...this.payments.payments.values()].filter(({ order }) => String(order["description"]).includes(number("P"))).length,
        provider: { simulator: this.payments, isAct: isPost },
        recorded: () => trail(toPay),
        expected: ["payment_intent_started"],
      },
      {
        name: "AI",
        path: "/ai/time/parse",
        body: { text: "an hour of design" },
        status: 200,
        acts: () => this.ai.heard.length - asked,
        provider: { simulator: this.ai, isAct: isPost },
        recorded: async () => [],
        expected: [],
      },
      {
        name: "mail",
        path: `/invoicing/invoices/${toSend}/send`,
        body: { to },
        status: 200,
        acts: () => this.mailbox.to(to).length,
        provider: null,
        recorded: () => trail(toSend),
        expected: ["sent"],
      },
    ];
  }
}
